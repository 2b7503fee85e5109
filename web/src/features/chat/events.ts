/** Translations of a run's stored events. The server itself writes in English. */
import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { serverWords, warningWords } from "@/api/error-words";
import { approvalQuestion } from "@/features/chat/approvals";
import { toolLabel } from "@/features/chat/tools";
import { callActivity, runLabel } from "@/features/chat/trace/activity";
import type { SessionEventJson, SubRunStartedJson, ToolCallChangedJson } from "@/gen/echomind/public/v1/session_event_pb";

/** Text of an event: in English the server's, otherwise by its details, as far as they are known. */
export function eventWords(event: SessionEventJson): string {
  if (event.kind === "SESSION_EVENT_KIND_WARNING") return warningWords(event);
  return (i18n.locale !== "en" && words(event)) || serverWords(event.text);
}

function words({ queued, status, step, toolCall, sources, knowledge, inputRequested, subRunStarted, todos, finished }: SessionEventJson): string {
  if (queued) return runLabel("RUN_STATUS_QUEUED");
  if (status) return status.isRecovery ? t`The answer was interrupted. It is being recovered…` : runLabel(status.status);
  if (step) return t`Step ${step.stepNumber ?? 0}`;
  if (toolCall) return callWords(toolCall);
  if (sources) return plural(sources.sources?.length ?? 0, { one: "# source found", other: "# sources found" });
  if (knowledge) return plural(knowledge.entities?.length ?? 0, { one: "# entry of knowledge found", other: "# entries of knowledge found" });
  if (inputRequested) {
    const { kind, toolCalls = [] } = inputRequested.pendingInput ?? {};
    return kind === "PENDING_INPUT_KIND_APPROVAL" ? approvalQuestion(toolCalls) : "";
  }
  if (subRunStarted) return started(subRunStarted);
  if (todos) return t`The plan was changed`;
  return finished ? runLabel(finished.status) : "";
}

function callWords(call: ToolCallChangedJson): string {
  const { toolName = "", status, errorMessage = "" } = call;
  const reason = serverWords(errorMessage);
  const name = toolLabel(toolName);
  if (status === "STEP_STATUS_COMPLETED") return t`${name}: done`;
  if (status === "STEP_STATUS_CANCELLED") return t`${name}: cancelled`;
  if (status === "STEP_STATUS_FAILED" || status === "STEP_STATUS_TIMEOUT") return t`${name}: failed. ${reason}`;
  return callActivity(call);
}

function started({ kind, goal = "", assistantName = "" }: SubRunStartedJson): string {
  return kind === "RUN_KIND_MEMBER" ? t`Giving ${assistantName} a task: ${goal}` : t`Starting a sub-agent: ${goal}`;
}
