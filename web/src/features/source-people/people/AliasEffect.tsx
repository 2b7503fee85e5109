import { useLingui } from "@lingui/react/macro";
import type { SourceAliasJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Badge } from "@/ui/Badge";
import styles from "./source-people.module.css";

/** Which account an alias names, and why it has no effect if it has none. */
export function AliasEffect({ alias }: { alias: SourceAliasJson }) {
  const { t } = useLingui();
  const { userName = "", connectors = 0 } = alias;
  return (
    <span className={styles.account}>
      {userName ? <span>{userName}</span> : <Badge tone="warn">{t`Account deleted`}</Badge>}
      {connectors === 0 && <Badge tone="warn">{t`In no connector`}</Badge>}
    </span>
  );
}
