import { Check, X } from "lucide-react";
import type { ToolCallJson } from "@/gen/echomind/public/v1/run_pb";
import { Spinner } from "@/ui/Spinner";
import { formatDuration } from "@/ui/format";
import { isUnderWay, toolInput, toolLabel } from "./activity";
import styles from "./ToolCalls.module.css";

/** Tool calls with what they were called with and how they went. */
export function ToolCalls({ calls }: { calls: readonly ToolCallJson[] }) {
  if (calls.length === 0) return null;
  return (
    <ul className={styles.calls}>
      {calls.map((call, index) => (
        // Ids repeat between steps, and the list only grows.
        <li key={index} className={styles.call}>
          <ToolCallState call={call} />
          <span className={styles.name}>{toolLabel(call.toolName ?? "")}</span>
          <span className={styles.input}>{toolInput(call)}</span>
          <span className={styles.outcome}>{outcome(call)}</span>
        </li>
      ))}
    </ul>
  );
}

function ToolCallState({ call }: { call: ToolCallJson }) {
  if (isUnderWay(call.status)) return <Spinner label="Under way" />;
  if (call.status === "STEP_STATUS_COMPLETED") return <Check size={14} className={styles.done} aria-label="Done" />;
  return <X size={14} className={styles.failed} aria-label="Not done" />;
}

function outcome(call: ToolCallJson): string {
  switch (call.status) {
    case "STEP_STATUS_COMPLETED":
      return call.executionDurationMs ? formatDuration(call.executionDurationMs) : "";
    case "STEP_STATUS_FAILED":
      return call.errorMessage || "failed";
    case "STEP_STATUS_TIMEOUT":
      return "took too long";
    case "STEP_STATUS_CANCELLED":
      return "not needed any more";
    default:
      return call.statusMessage || (call.progressPercentage ? `${call.progressPercentage} %` : "");
  }
}
