import { Trans } from "@lingui/react/macro";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { Notice } from "@/ui/Notice";

interface GoalOutcomeProps {
  /** The calls of a run. */
  calls: readonly ToolCallJson[];
}

interface Ending {
  number: number;
  status: string;
  reason: string;
}

/** The outcome of an autonomous run's goal, with the open items of its plan and the reasons. */
export function GoalOutcome({ calls }: GoalOutcomeProps) {
  const call = calls.find(({ toolName, status }) => toolName === "finish_goal" && status === "STEP_STATUS_COMPLETED");
  if (!call) return null;
  const { outcome, todos } = call.parameters as { outcome?: string; todos?: Ending[] };
  const undone = (todos ?? []).filter(({ status }) => status !== "completed");
  return (
    <Notice tone={outcome === "reached" ? "info" : "warn"}>
      {outcome === "reached" ? <Trans>The goal is reached.</Trans> : <Trans>The goal is not reached.</Trans>}
      {undone.length > 0 && (
        <ul>
          {undone.map(({ number, status, reason }) => (
            <li key={number}>
              {status === "failed" ? <Trans>Todo {number} failed: {reason}</Trans> : <Trans>Todo {number} was cancelled: {reason}</Trans>}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
