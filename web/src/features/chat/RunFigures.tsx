import { t } from "@lingui/core/macro";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { formatCost, formatDuration, formatNumber } from "@/ui/format";
import styles from "./RunFigures.module.css";

/** Usage of a run: its model, tokens, cost and time, in one format everywhere. */
export function RunFigures({ run, model }: { run: RunJson | undefined; model: string }) {
  return <span className={styles.figures}>{run ? figuresOf(run, model) : model}</span>;
}

/** The figures of a run on one line, without unknown ones. */
function figuresOf({ durationMs, promptTokens, completionTokens, cost }: RunJson, model: string): string {
  const tokens = Number(promptTokens ?? 0) + Number(completionTokens ?? 0);
  const parts = [
    model,
    tokens > 0 && t`${formatNumber(tokens)} tokens`,
    Number(cost ?? 0) > 0 && formatCost(Number(cost)),
    Number(durationMs ?? 0) > 0 && formatDuration(Number(durationMs)),
  ];
  return parts.filter(Boolean).join(" · ");
}
