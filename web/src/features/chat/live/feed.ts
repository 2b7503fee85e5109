/** What is known of a session's runs that are not finished, made from its events. Pure: events in, state out. */
import type {
  ChatMessageJson,
  RunEventJson,
  RunStatusJson,
  SourceJson,
  StepJson,
  ToolCallJson,
} from "@/gen/echomind/public/v1/run_pb";
import { isUnderWay } from "../activity";
import { NO_TEXT, withDelta, withSnapshot, type AnswerText } from "./answer-text";

/** A run at work. */
export interface LiveRun {
  readonly runId: string;
  /** The message that it writes; empty until that is known. */
  readonly messageId: string;
  readonly status: RunStatusJson;
  /** What it is doing, in words. */
  readonly activity: string;
  readonly warnings: readonly string[];
  readonly steps: readonly StepJson[];
  readonly toolCalls: readonly ToolCallJson[];
  readonly sources: readonly SourceJson[];
}

/** A session's live side. */
export interface Feed {
  /** The last stored event that was taken in; reconnect after it. */
  readonly lastEventId: bigint;
  /** Runs at work, by id. */
  readonly runs: Readonly<Record<string, LiveRun>>;
  /** Texts being written, by message id. */
  readonly texts: Readonly<Record<string, AnswerText>>;
  /** Messages whose run has ended, as stored, by id. */
  readonly finished: Readonly<Record<string, ChatMessageJson>>;
}

/** A feed that has seen nothing after an event. */
export function emptyFeed(after = 0n): Feed {
  return { lastEventId: after, runs: {}, texts: {}, finished: {} };
}

/** Takes an event in. Stored events count once, in order; live ones change only texts that are still being written. */
export function withEvent(feed: Feed, event: RunEventJson): Feed {
  const id = BigInt(event.id ?? 0);
  if (id === 0n) return withLiveEvent(feed, event);
  if (id <= feed.lastEventId) return feed;
  return withStoredEvent({ ...feed, lastEventId: id }, event);
}

/** Whether a part of a text is missing that only a new snapshot, so a new connection, can bring. */
export function hasHole(feed: Feed): boolean {
  return Object.values(feed.texts).some((text) => text.ahead.length > 0);
}

/** The feed with only what is whole: pieces beyond a hole come again with the next connection's snapshot. */
export function withoutHoles(feed: Feed): Feed {
  if (!hasHole(feed)) return feed;
  const texts = Object.entries(feed.texts).map(([id, text]) => [id, { ...text, ahead: [] }] as const);
  return { ...feed, texts: Object.fromEntries(texts) };
}

function withLiveEvent(feed: Feed, { delta, snapshot, gap }: RunEventJson): Feed {
  if (gap) {
    const before = BigInt(gap.before ?? 0);
    return before > feed.lastEventId ? { ...feed, lastEventId: before } : feed;
  }
  const messageId = delta?.messageId ?? snapshot?.messageId;
  if (messageId === undefined || messageId in feed.finished) return feed;
  let text = feed.texts[messageId] ?? NO_TEXT;
  if (delta) text = withDelta(text, delta.attempt ?? 0, delta.offset ?? 0, delta.text ?? "");
  if (snapshot) text = withSnapshot(text, snapshot.attempt ?? 0, snapshot.text ?? "");
  return { ...feed, texts: { ...feed.texts, [messageId]: text } };
}

function withStoredEvent(feed: Feed, event: RunEventJson): Feed {
  const runId = event.runId;
  if (!runId) return feed;
  if (event.finished) return withoutRun(feed, runId, event.finished.message);
  const run = feed.runs[runId] ?? newRun(runId);
  return { ...feed, runs: { ...feed.runs, [runId]: withRunEvent(run, event) } };
}

function withoutRun(feed: Feed, runId: string, message: ChatMessageJson | undefined): Feed {
  const { [runId]: run, ...runs } = feed.runs;
  const messageId = message?.id ?? run?.messageId;
  if (!messageId) return { ...feed, runs };
  const { [messageId]: text, ...texts } = feed.texts;
  const stored = message ?? { id: messageId, content: text?.text ?? "" };
  return { ...feed, runs, texts, finished: { ...feed.finished, [messageId]: stored } };
}

function withRunEvent(run: LiveRun, event: RunEventJson): LiveRun {
  const { queued, status, step, toolCall, sources, text } = event;
  if (event.kind === "RUN_EVENT_KIND_WARNING") return { ...run, warnings: [...run.warnings, text ?? ""] };
  const next = text ? { ...run, activity: text } : run;
  if (queued) return { ...next, messageId: queued.assistantMessageId ?? "" };
  if (status) return { ...next, status: status.status ?? run.status };
  if (sources) return { ...next, sources: byNumber(run.sources, sources.sources ?? []) };
  if (step) return { ...next, steps: withItem(run.steps, step, run.steps.findIndex(({ id }) => id === step.id)) };
  if (toolCall) return { ...next, toolCalls: withToolCall(run.toolCalls, toolCall) };
  return next;
}

function newRun(runId: string): LiveRun {
  return {
    runId,
    messageId: "",
    status: "RUN_STATUS_QUEUED",
    activity: "",
    warnings: [],
    steps: [],
    toolCalls: [],
    sources: [],
  };
}

/** A call's end belongs to its beginning. Models may use an id again in a later step: then it is another call. */
function withToolCall(calls: readonly ToolCallJson[], call: ToolCallJson): readonly ToolCallJson[] {
  const index = calls.findLastIndex(({ toolCallId, status }) => toolCallId === call.toolCallId && isUnderWay(status));
  return withItem(calls, index < 0 ? call : { ...calls[index], ...call }, index);
}

function withItem<T>(items: readonly T[], item: T, index: number): readonly T[] {
  return index < 0 ? [...items, item] : items.with(index, item);
}

function byNumber(known: readonly SourceJson[], more: readonly SourceJson[]): readonly SourceJson[] {
  const sources = new Map([...known, ...more].map((source) => [source.number ?? 0, source]));
  return [...sources.values()].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
}
