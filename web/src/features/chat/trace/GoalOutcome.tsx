import { Trans } from "@lingui/react/macro";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Notice } from "@/ui/Notice";
import styles from "./GoalOutcome.module.css";

interface GoalOutcomeProps {
  /** The calls of a run. */
  calls: readonly ToolCallJson[];
  /** Its plan. */
  todos: readonly TodoJson[];
}

interface Ending {
  number: number;
  status: string;
  reason: string;
}

/** The outcome of an autonomous run's goal, with the open items of its plan and the reasons. */
export function GoalOutcome({ calls, todos }: GoalOutcomeProps) {
  const call = calls.find(({ toolName, status }) => toolName === "finish_goal" && status === "STEP_STATUS_COMPLETED");
  if (!call) return null;
  const { outcome, todos: endings = [] } = call.parameters as { outcome?: string; todos?: Ending[] };
  const undone = endings.filter(({ status }) => status !== "completed");
  const titleOf = (number: number) => todos.find(({ orderIndex }) => orderIndex === number)?.title ?? "";
  return (
    <Notice tone={outcome === "reached" ? "info" : "warn"}>
      {outcome === "reached" ? <Trans>The goal is reached.</Trans> : <Trans>The goal is not reached.</Trans>}
      {undone.length > 0 && (
        <ul className={styles.open}>
          {undone.map(({ number, status, reason }) => (
            <li key={number}>
              {number}. {titleOf(number)} <span className={styles.reason}>{status === "failed" ? <Trans>failed: {reason}</Trans> : <Trans>cancelled: {reason}</Trans>}</span>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
