import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { serverWords } from "@/api/error-words";
import { toolLabel } from "@/features/chat/tools";
import type { ToolInfoJson } from "@/gen/echomind/public/v1/assistant_pb";
import { Badge } from "@/ui/Badge";
import styles from "./tabs.module.css";

/** A tool: its description, its side effects and its options. */
export function ToolItem({ tool, children }: { tool: ToolInfoJson; children?: ReactNode }) {
  const { t } = useLingui();
  return (
    <li className={styles.tool}>
      <div className={styles.name}>
        <span>{toolLabel(tool.name ?? "")}</span>
        <code>{tool.name}</code>
        {tool.sideEffect && <Badge tone="warn">{t`Changes something`}</Badge>}
        {tool.sendsDataOut && <Badge tone="warn">{t`Sends data out`}</Badge>}
        {tool.forPlanning && <Badge tone="neutral">{t`Agent mode only`}</Badge>}
      </div>
      <p className={styles.description}>{serverWords(firstParagraph(tool.description))}</p>
      {children && <div className={styles.choices}>{children}</div>}
    </li>
  );
}

/** Descriptions are written for models; the first paragraph is enough for people. */
function firstParagraph(description = ""): string {
  return description.split("\n\n")[0] ?? "";
}
