/** Options of a question's run. */
import type { RunJson, RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { plural, t } from "@lingui/core/macro";
import { formatCost, formatDuration, formatNumber } from "@/ui/format";

/** The options to repeat a question like a run, without its limits, which are the assistant's. */
export function optionsAgain(run: RunJson | undefined): RunOptionsJson {
  return run ? { autoRun: run.autoRun ?? false } : {};
}

/** The limits among options on one line; empty when there are none. */
export function limitsLabel(options: RunOptionsJson): string {
  const { askClarifications, maxSteps, timeoutSeconds, maxRunTokens, maxCost, maxDepth, waitStrategy } = options;
  const tokens = formatNumber(Number(maxRunTokens ?? 0));
  const parts = [
    maxSteps && plural(maxSteps, { one: "# step", other: "# steps" }),
    timeoutSeconds && formatDuration(timeoutSeconds * 1000),
    maxRunTokens && t`${tokens} tokens`,
    maxCost && formatCost(Number(maxCost)),
    maxDepth !== undefined && (maxDepth === 0 ? t`no sub-agents` : t`sub-agents ${maxDepth} deep`),
    waitStrategy === "WAIT_STRATEGY_ANY" && t`first success is enough`,
    waitStrategy === "WAIT_STRATEGY_MAJORITY" && t`a majority is enough`,
    waitStrategy === "WAIT_STRATEGY_ALL" && t`waits for all`,
    askClarifications !== undefined && (askClarifications ? t`clarifying questions` : t`no clarifying questions`),
  ];
  return parts.filter(Boolean).join(" · ");
}
