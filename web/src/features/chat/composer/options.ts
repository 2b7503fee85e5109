/** How a question is to be worked on. */
import type { RunJson, RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { formatDuration } from "@/ui/format";

/** The options to ask a question once more in the way of a run; its limits are for the assistant to say. */
export function optionsAgain(run: RunJson | undefined): RunOptionsJson {
  return run ? { autoRun: run.autoRun ?? false } : {};
}

/** The limits among options on one line; empty when there are none. */
export function limitsLabel({ askClarifications, maxSteps, timeoutSeconds, maxRunTokens, maxCost, maxDepth }: RunOptionsJson): string {
  const parts = [
    maxSteps && `${maxSteps.toLocaleString()} steps`,
    timeoutSeconds && formatDuration(timeoutSeconds * 1000),
    maxRunTokens && `${Number(maxRunTokens).toLocaleString()} tokens`,
    maxCost && `$${maxCost.toLocaleString()}`,
    maxDepth !== undefined && (maxDepth === 0 ? "no sub-agents" : `sub-agents ${maxDepth} deep`),
    askClarifications !== undefined && (askClarifications ? "clarifying questions" : "no clarifying questions"),
  ];
  return parts.filter(Boolean).join(" · ");
}
