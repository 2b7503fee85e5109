/** State of an active run, computed from its events. Pure: events in, state out. */
import type { SourceJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { PendingInputJson, RunErrorJson, RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import type { RunStatusChangedJson, SessionEventJson, StepChangedJson, ToolCallChangedJson } from "@/gen/echomind/public/v1/session_event_pb";

/** The context that a run got from its parent. */
export interface Origin {
  readonly parentRunId: string;
  /** The parent's call that started it. */
  readonly toolCallId: string;
  readonly goal: string;
  /** The name of the member that works on it; empty for a sub-agent. */
  readonly member: string;
}

/** A warning of a run. */
export type RunWarning = Pick<SessionEventJson, "text" | "warning">;

/** An active run; an ended sub-agent is kept until its root ends. */
export interface LiveRun {
  readonly runId: string;
  /** The message that it writes; empty for a sub-agent, and until that is known. */
  readonly messageId: string;
  /** Its parent; undefined for a root. */
  readonly origin: Origin | undefined;
  readonly status: RunStatusJson;
  /** Number of the worker's attempt, starting at 1; 0 before the first. */
  readonly attempt: number;
  /** Whether this attempt recovers the run of a dead worker, and has made no progress yet. */
  readonly isRecovering: boolean;
  readonly warnings: readonly RunWarning[];
  readonly steps: readonly StepChangedJson[];
  readonly toolCalls: readonly ToolCallChangedJson[];
  readonly sources: readonly SourceJson[];
  /** The input that it waits for, if any. */
  readonly pendingInput: PendingInputJson | undefined;
  /** The event with the request; distinguishes requests. */
  readonly requestId: string;
  /** Its error. */
  readonly error: RunErrorJson | undefined;
}

/** A run of which nothing is known yet. */
export function newRun(runId: string): LiveRun {
  return {
    runId,
    messageId: "",
    origin: undefined,
    status: "RUN_STATUS_QUEUED",
    attempt: 0,
    isRecovering: false,
    warnings: [],
    steps: [],
    toolCalls: [],
    sources: [],
    pendingInput: undefined,
    requestId: "",
    error: undefined,
  };
}

/** Applies one of the run's stored events. */
export function withRunEvent(run: LiveRun, event: SessionEventJson): LiveRun {
  const { queued, status, step, toolCall, sources, inputRequested, finished } = event;
  if (event.kind === "SESSION_EVENT_KIND_WARNING") {
    const { text = "", warning } = event;
    const warned = { ...run, warnings: [...run.warnings, { text, ...(warning && { warning }) }] };
    return status ? withStatus(warned, status) : warned;
  }
  if (queued) return { ...run, messageId: idOf(queued.assistantMessageId) };
  if (status) return withStatus(run, status);
  if (sources) return { ...run, isRecovering: false, sources: byNumber(run.sources, sources.sources ?? []) };
  if (step) return withStep({ ...run, isRecovering: false }, step);
  if (toolCall) return withToolCall({ ...run, isRecovering: false }, toolCall);
  if (inputRequested) {
    const { pendingInput } = inputRequested;
    return { ...run, status: "RUN_STATUS_WAITING_FOR_INPUT", pendingInput, requestId: event.id ?? "" };
  }
  if (finished) {
    return { ...run, status: finished.status ?? "RUN_STATUS_COMPLETED", error: finished.error, pendingInput: undefined };
  }
  return run;
}

/** A run that is resumed no longer waits for input. */
function withStatus(run: LiveRun, { status = run.status, attempt = run.attempt, isRecovery = false }: RunStatusChangedJson): LiveRun {
  const pendingInput = status === "RUN_STATUS_WAITING_FOR_INPUT" ? run.pendingInput : undefined;
  return { ...run, status, attempt, isRecovering: isRecovery, pendingInput };
}

function withStep(run: LiveRun, step: StepChangedJson): LiveRun {
  const index = run.steps.findIndex(({ stepNumber }) => stepNumber === step.stepNumber);
  return { ...run, steps: withChange(run.steps, step, index) };
}

/** Models may use the id of a call again in a later step: then it is another call. */
function withToolCall(run: LiveRun, call: ToolCallChangedJson): LiveRun {
  const { stepNumber, toolCallId } = call;
  const index = run.toolCalls.findIndex((known) => known.stepNumber === stepNumber && known.toolCallId === toolCallId);
  const toolCalls = withChange(run.toolCalls, call, index);
  return { ...run, toolCalls, pendingInput: stillWaiting(run.pendingInput, call) };
}

/** Pending input without the calls that have been decided in the meantime. */
function stillWaiting(pending: PendingInputJson | undefined, call: ToolCallChangedJson): PendingInputJson | undefined {
  const isDecided = call.approval === "TOOL_APPROVAL_GRANTED" || call.approval === "TOOL_APPROVAL_DENIED";
  if (!pending?.toolCalls || !isDecided) return pending;
  return { ...pending, toolCalls: pending.toolCalls.filter(({ toolCallId }) => toolCallId !== call.toolCallId) };
}

/** An identifier; empty for none, which may also be written as 0. */
export function idOf(id: string | undefined): string {
  return id === "0" ? "" : (id ?? "");
}

/** Unset fields of an event have not changed. */
function withChange<T extends object>(items: readonly T[], change: T, index: number): readonly T[] {
  return index < 0 ? [...items, change] : items.with(index, { ...items[index], ...change });
}

function byNumber(known: readonly SourceJson[], more: readonly SourceJson[]): readonly SourceJson[] {
  const sources = new Map([...known, ...more].map((source) => [source.number ?? 0, source]));
  return [...sources.values()].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
}
