import { t } from "@lingui/core/macro";
import { Ban, Check, ChevronRight, Clock, X } from "lucide-react";
import type { ReactNode } from "react";
import { serverWords } from "@/api/error-words";
import { isUnderWay } from "@/data/runs";
import { callFailure, callResult, toolLabel } from "@/features/chat/tools";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { formatDuration, formatPercent } from "@/ui/format";
import { Spinner } from "@/ui/Spinner";
import { toolInput } from "./activity";
import { Parameters } from "./Parameters";
import styles from "./ToolCalls.module.css";

interface ToolCallsProps {
  calls: readonly ToolCallJson[];
  /** Whether a call can be opened to show its details. */
  canOpen?: boolean;
  /** Replacement of a call: the sub-agent that it started. */
  instead?: (call: ToolCallJson) => ReactNode;
}

/** Tool calls with their arguments and status. */
export function ToolCalls({ calls, canOpen = false, instead }: ToolCallsProps) {
  if (calls.length === 0) return null;
  return (
    <ul className={styles.calls}>
      {calls.map((call, index) => (
        // Ids repeat between steps, and items are only appended, so the index is a stable key.
        <li key={index} className={styles.item}>
          {instead?.(call) ?? (canOpen ? <OpenableCall call={call} /> : <CallLine call={call} />)}
        </li>
      ))}
    </ul>
  );
}

function OpenableCall({ call }: { call: ToolCallJson }) {
  return (
    <details className={styles.openable}>
      <summary>
        <ChevronRight size={14} className={styles.chevron} aria-hidden />
        <CallLine call={call} />
      </summary>
      <div className={styles.opened}>
        <Parameters parameters={call.parameters} />
        {(call.result || call.errorMessage) && <pre className={styles.result}>{callResult(call)}</pre>}
      </div>
    </details>
  );
}

function CallLine({ call }: { call: ToolCallJson }) {
  const progress = isUnderWay(call.status) ? (call.progressPercentage ?? 0) : 0;
  return (
    <div className={styles.call}>
      <ToolCallState call={call} />
      <span className={styles.name}>{toolLabel(call.toolName ?? "")}</span>
      <span className={styles.input}>{toolInput(call)}</span>
      {progress > 0 && <progress className={styles.progress} max={100} value={progress} aria-label={t`Progress`} />}
      <span className={styles.outcome}>{outcome(call)}</span>
    </div>
  );
}

function ToolCallState({ call }: { call: ToolCallJson }) {
  if (call.approval === "TOOL_APPROVAL_DENIED") return <Ban size={14} className={styles.failed} aria-label={t`Denied`} />;
  if (isUnderWay(call.status) && call.approval === "TOOL_APPROVAL_REQUIRED") {
    return <Clock size={14} className={styles.waiting} aria-label={t`Waiting for approval`} />;
  }
  if (isUnderWay(call.status)) return <Spinner label={t`Running`} />;
  if (call.status === "STEP_STATUS_COMPLETED") return <Check size={14} className={styles.done} aria-label={t`Done`} />;
  if (call.status === "STEP_STATUS_CANCELLED") return <Ban size={14} className={styles.waiting} aria-label={t`Cancelled`} />;
  return <X size={14} className={styles.failed} aria-label={t`Failed`} />;
}

function outcome(call: ToolCallJson): string {
  if (call.approval === "TOOL_APPROVAL_DENIED") return t`denied`;
  switch (call.status) {
    case "STEP_STATUS_COMPLETED":
      return call.executionDurationMs ? formatDuration(call.executionDurationMs) : "";
    case "STEP_STATUS_FAILED":
      return callFailure(call.errorMessage) || t`failed`;
    case "STEP_STATUS_TIMEOUT":
      return t`timed out`;
    case "STEP_STATUS_CANCELLED":
      return t`cancelled`;
    default:
      return underWay(call);
  }
}

/** Activity of a call that has not ended. */
function underWay({ approval, statusMessage, externalStatus, progressPercentage, retryCount }: ToolCallJson): string {
  if (approval === "TOOL_APPROVAL_REQUIRED") return t`waiting for approval`;
  const parts = [
    serverWords(statusMessage) || externalStatus,
    progressPercentage && formatPercent(progressPercentage / 100),
    retryCount && t`attempt ${retryCount + 1}`,
  ];
  return parts.filter(Boolean).join(" · ");
}
