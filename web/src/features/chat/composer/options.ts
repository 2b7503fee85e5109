/** Options of a question's run. */
import type { RunJson, RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { plural, t } from "@lingui/core/macro";
import { formatCost, formatDuration, formatNumber } from "@/ui/format";

/** The options to ask a question once more in the way of a run; its limits are for the assistant to say. */
export function optionsAgain(run: RunJson | undefined): RunOptionsJson {
  return run ? { autoRun: run.autoRun ?? false } : {};
}

/** The limits among options on one line; empty when there are none. */
export function limitsLabel({ askClarifications, maxSteps, timeoutSeconds, maxRunTokens, maxCost, maxDepth }: RunOptionsJson): string {
  const tokens = formatNumber(Number(maxRunTokens ?? 0));
  const parts = [
    maxSteps && plural(maxSteps, { one: "# step", other: "# steps" }),
    timeoutSeconds && formatDuration(timeoutSeconds * 1000),
    maxRunTokens && t`${tokens} tokens`,
    maxCost && formatCost(Number(maxCost)),
    maxDepth !== undefined && (maxDepth === 0 ? t`no sub-agents` : t`sub-agents ${maxDepth} deep`),
    askClarifications !== undefined && (askClarifications ? t`clarifying questions` : t`no clarifying questions`),
  ];
  return parts.filter(Boolean).join(" · ");
}
