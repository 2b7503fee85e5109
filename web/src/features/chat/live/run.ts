/** What is known of a run that is at work, made from its events. Pure: events in, state out. */
import { isUnderWay } from "@/data/runs";
import type { SourceJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { PendingInputJson, RunErrorJson, RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import type { SessionEventJson, RunStatusChangedJson } from "@/gen/echomind/public/v1/session_event_pb";
import type { StepJson, ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** A tool call and where it belongs. */
export interface LiveCall extends ToolCallJson {
  /** Its step; 0 while no step was told of. */
  readonly stepNumber: number;
  /** The same for calls that were begun at once. */
  readonly batch: number;
}

/** What a run knows of the run that started it. */
export interface Origin {
  readonly parentRunId: string;
  /** The parent's call that started it. */
  readonly toolCallId: string;
  readonly goal: string;
}

/** A run at work; a sub-agent's stays, ended, until its root ends. */
export interface LiveRun {
  readonly runId: string;
  /** The message that it writes; empty for a sub-agent, and until that is known. */
  readonly messageId: string;
  /** Where it comes from; undefined for a root. */
  readonly origin: Origin | undefined;
  readonly status: RunStatusJson;
  /** Which worker's turn it is, counted from 1; 0 before the first. */
  readonly attempt: number;
  /** What it is doing, in words. */
  readonly activity: string;
  readonly warnings: readonly string[];
  readonly steps: readonly StepJson[];
  readonly toolCalls: readonly LiveCall[];
  /** The batch of a call that begins with the next event; calls begun at once come one after the other. */
  readonly nextBatch: number;
  readonly sources: readonly SourceJson[];
  /** What it waits for; undefined unless it waits for a person. */
  readonly pendingInput: PendingInputJson | undefined;
  /** The event that asked for it; tells one request from the next. */
  readonly requestId: string;
  /** What ended it early. */
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
    activity: "",
    warnings: [],
    steps: [],
    toolCalls: [],
    nextBatch: 1,
    sources: [],
    pendingInput: undefined,
    requestId: "",
    error: undefined,
  };
}

/** Takes one of the run's stored events in. */
export function withRunEvent(run: LiveRun, event: SessionEventJson): LiveRun {
  const next = withDetail(run, event);
  const batch = next.toolCalls.at(-1)?.batch ?? 0;
  const hasBegun = next.toolCalls.length > run.toolCalls.length;
  return { ...next, nextBatch: hasBegun ? batch : batch + 1 };
}

function withDetail(run: LiveRun, event: SessionEventJson): LiveRun {
  const { queued, status, step, toolCall, sources, inputRequested, finished, text } = event;
  if (event.kind === "SESSION_EVENT_KIND_WARNING") return { ...run, warnings: [...run.warnings, text ?? ""] };
  const next = text ? { ...run, activity: text } : run;
  if (queued) return { ...next, messageId: idOf(queued.assistantMessageId) };
  if (status) return withStatus(next, status);
  if (sources) return { ...next, sources: byNumber(run.sources, sources.sources ?? []) };
  if (step) return withStep(next, step);
  if (toolCall) return withToolCall(next, toolCall);
  if (inputRequested) {
    const { pendingInput } = inputRequested;
    return { ...next, status: "RUN_STATUS_WAITING_FOR_INPUT", pendingInput, requestId: event.id ?? "" };
  }
  if (finished) {
    return { ...next, status: finished.status ?? "RUN_STATUS_COMPLETED", error: finished.error, pendingInput: undefined };
  }
  return next;
}

/** A run that goes on does not ask any more. */
function withStatus(run: LiveRun, { status = run.status, attempt }: RunStatusChangedJson): LiveRun {
  const pendingInput = status === "RUN_STATUS_WAITING_FOR_INPUT" ? run.pendingInput : undefined;
  return { ...run, status, attempt: attempt || run.attempt, pendingInput };
}

/** Events give steps no id; the place in the run names them. */
function withStep(run: LiveRun, step: StepJson): LiveRun {
  const index = run.steps.findIndex(({ stepNumber }) => stepNumber === step.stepNumber);
  const steps = withItem(run.steps, overlaid(run.steps[index] ?? {}, step), index);
  return (step.toolCalls ?? []).reduce((known, call) => withToolCall(known, call, step.stepNumber), { ...run, steps });
}

/** A call's end belongs to its beginning. Models may use an id again in a later step: then it is another call. */
function withToolCall(run: LiveRun, call: ToolCallJson, inStep?: number): LiveRun {
  const isSame = ({ toolCallId, status, stepNumber }: LiveCall) =>
    toolCallId === call.toolCallId && (isUnderWay(status) || stepNumber === inStep);
  const index = run.toolCalls.findLastIndex(isSame);
  const stepNumber = inStep ?? run.steps.at(-1)?.stepNumber ?? 0;
  const known = run.toolCalls[index] ?? { stepNumber, batch: run.nextBatch };
  const toolCalls = withItem(run.toolCalls, overlaid(known, call), index);
  return { ...run, toolCalls, pendingInput: stillWaiting(run.pendingInput, call) };
}

/** What is asked without a call that was decided on meanwhile. */
function stillWaiting(pending: PendingInputJson | undefined, call: ToolCallJson): PendingInputJson | undefined {
  const isDecided = call.approval === "TOOL_APPROVAL_GRANTED" || call.approval === "TOOL_APPROVAL_DECLINED";
  if (!pending?.toolCalls || !isDecided) return pending;
  return { ...pending, toolCalls: pending.toolCalls.filter(({ toolCallId }) => toolCallId !== call.toolCallId) };
}

/** An identifier; empty for none, which may also be written as 0. */
export function idOf(id: string | undefined): string {
  return id === "0" ? "" : (id ?? "");
}

/** What was known, with what an event adds to it. An event says only what is news, and leaves the rest empty. */
function overlaid<T extends object>(known: T, news: Partial<T>): T {
  return { ...known, ...Object.fromEntries(Object.entries(news).filter(([, value]) => isSaid(value))) };
}

function isSaid(value: unknown): boolean {
  if (typeof value === "object") return value !== null && Object.keys(value).length > 0;
  return Boolean(value) && value !== "0" && !(typeof value === "string" && value.endsWith("_UNSPECIFIED"));
}

function withItem<T>(items: readonly T[], item: T, index: number): readonly T[] {
  return index < 0 ? [...items, item] : items.with(index, item);
}

function byNumber(known: readonly SourceJson[], more: readonly SourceJson[]): readonly SourceJson[] {
  const sources = new Map([...known, ...more].map((source) => [source.number ?? 0, source]));
  return [...sources.values()].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
}
