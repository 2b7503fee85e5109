/** State of a session's active runs, computed from its events. Pure: events in, state out. */
import { uncheckedCitations } from "@/features/citations/citations";
import type { ChatMessageJson, MessageStatusJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SessionEventJson, RunFinishedJson, SubRunStartedJson } from "@/gen/echomind/public/v1/session_event_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { NO_TEXT, withDelta, withSnapshot, type AnswerText } from "./answer-text";
import { idOf, newRun, withRunEvent, type LiveRun, type RunWarning } from "./run";

/** A session's live side. */
export interface Feed {
  /** The last stored event that was applied; reconnect after it. */
  readonly lastEventId: bigint;
  /** Active runs, by id. */
  readonly runs: Readonly<Record<string, LiveRun>>;
  /** Texts being written, by message id. */
  readonly texts: Readonly<Record<string, AnswerText>>;
  /** Texts of active members and sub-agents, which have no messages, by run id. */
  readonly runTexts: Readonly<Record<string, AnswerText>>;
  /** Messages whose run has ended, as stored, by id. */
  readonly finished: Readonly<Record<string, ChatMessageJson>>;
  /** Warnings of ended runs that still hold, by message id. */
  readonly warnings: Readonly<Record<string, readonly RunWarning[]>>;
  /** Plans that changed, by run id ("" for people's own), each as it is now. */
  readonly todos: Readonly<Record<string, readonly TodoJson[]>>;
  /** The last event about a change of the session itself; 0 before the first. */
  readonly sessionChange: bigint;
}

/** A feed that has seen nothing after an event. */
export function emptyFeed(after = 0n): Feed {
  return { lastEventId: after, runs: {}, texts: {}, runTexts: {}, finished: {}, warnings: {}, todos: {}, sessionChange: 0n };
}

/** The feed without active runs, to keep between two runs. */
export function restingFeed({ lastEventId, finished, warnings }: Feed, after = lastEventId): Feed {
  return { ...emptyFeed(after), finished, warnings };
}

/** Applies an event. Stored events count once, in order; live ones change only texts that are still being written. */
export function withEvent(feed: Feed, event: SessionEventJson): Feed {
  const id = BigInt(event.id ?? 0);
  if (id === 0n) return withLiveEvent(feed, event);
  if (id <= feed.lastEventId) return feed;
  return withStoredEvent({ ...feed, lastEventId: id }, event);
}

/** Whether a part of the text is missing that only a new snapshot can provide, and so a new connection. */
export function hasHole(feed: Feed): boolean {
  return Object.values(feed.texts).some((text) => text.ahead.length > 0);
}

/** The feed without pieces after gaps, which the next connection's snapshot contains. */
export function withoutHoles(feed: Feed): Feed {
  if (!hasHole(feed)) return feed;
  const texts = Object.entries(feed.texts).map(([id, text]) => [id, { ...text, ahead: [] }] as const);
  return { ...feed, texts: Object.fromEntries(texts) };
}

function withLiveEvent(feed: Feed, { runId = "", delta, snapshot, gap, runText }: SessionEventJson): Feed {
  if (gap) {
    const before = BigInt(gap.before ?? 0);
    return before > feed.lastEventId ? { ...feed, lastEventId: before } : feed;
  }
  if (runText) {
    const text = withDelta(feed.runTexts[runId] ?? NO_TEXT, runText.attempt ?? 0, runText.offset ?? 0, runText.text ?? "");
    return { ...feed, runTexts: { ...feed.runTexts, [runId]: text } };
  }
  const messageId = delta?.messageId ?? snapshot?.messageId;
  if (messageId === undefined || messageId in feed.finished) return feed;
  let text = feed.texts[messageId] ?? NO_TEXT;
  if (delta) text = withDelta(text, delta.attempt ?? 0, delta.offset ?? 0, delta.text ?? "", delta.citedSources);
  if (snapshot) text = withSnapshot(text, snapshot.attempt ?? 0, snapshot.text ?? "", snapshot.citedSources);
  return { ...feed, texts: { ...feed.texts, [messageId]: text } };
}

function withStoredEvent(feed: Feed, event: SessionEventJson): Feed {
  if (event.sessionChanged) return { ...feed, sessionChange: feed.lastEventId };
  const { runId = "", todos } = event;
  if (todos) return { ...feed, todos: { ...feed.todos, [runId]: todos.todos ?? [] } };
  if (!runId) return feed;
  const run = withRunEvent(feed.runs[runId] ?? newRun(runId), event);
  const messageId = idOf(event.finished?.message?.id) || run.messageId;
  // Only root runs have a message; the end of a sub-agent does not end the answer.
  if (event.finished && messageId) return withoutTree(feed, run, messageId, event.finished);
  const next = { ...feed, runs: { ...feed.runs, [runId]: run } };
  return event.subRunStarted ? withSubRun(next, runId, event.subRunStarted) : next;
}

function withSubRun(feed: Feed, parentRunId: string, { runId = "", goal = "", toolCallId = "", kind, assistantName = "" }: SubRunStartedJson): Feed {
  const member = kind === "RUN_KIND_MEMBER" ? assistantName : "";
  const run = { ...(feed.runs[runId] ?? newRun(runId)), origin: { parentRunId, toolCallId, goal, member } };
  return { ...feed, runs: { ...feed.runs, [runId]: run } };
}

/** A root run has ended: its message is stored, and it and its sub-runs are no longer active. */
function withoutTree(feed: Feed, { runId: rootId, warnings: warned, sources }: LiveRun, messageId: string, finished: RunFinishedJson): Feed {
  const isOther = ([id]: [string, unknown]) => rootOf(feed, id) !== rootId;
  const runs = Object.fromEntries(Object.entries(feed.runs).filter(isOther));
  const runTexts = Object.fromEntries(Object.entries(feed.runTexts).filter(isOther));
  const { [messageId]: text, ...texts } = feed.texts;
  const citations = uncheckedCitations(text?.cited ?? [], sources);
  const unstored: ChatMessageJson = { id: messageId, content: text?.text ?? "", status: messageStatus(finished), ...(citations.length > 0 && { citations }) };
  const stored = finished.message ?? unstored;
  const lasting = warned.filter(({ warning }) => warning?.code !== "WARNING_CODE_RUN_RETRIED");
  const warnings = lasting.length > 0 ? { ...feed.warnings, [messageId]: lasting } : feed.warnings;
  return { ...feed, runs, texts, runTexts, warnings, finished: { ...feed.finished, [messageId]: stored } };
}

/** The state of a message whose run ended without a worker. */
function messageStatus({ status }: RunFinishedJson): MessageStatusJson {
  return status === "RUN_STATUS_CANCELLED" ? "MESSAGE_STATUS_CANCELLED" : "MESSAGE_STATUS_FAILED";
}

/** The run at the top of a run's tree, by id. */
function rootOf(feed: Feed, runId: string): string {
  const parent = feed.runs[runId]?.origin?.parentRunId;
  return parent === undefined ? runId : rootOf(feed, parent);
}

/** The sub-agents that a run started, in order. */
export function childrenOf(feed: Feed, runId: string): LiveRun[] {
  return Object.values(feed.runs).filter(({ origin }) => origin?.parentRunId === runId);
}

/** The runs of a tree that wait for a person, the root first. */
export function waitingRuns(feed: Feed, rootId: string): LiveRun[] {
  return Object.values(feed.runs)
    .filter(({ runId, pendingInput }) => pendingInput && rootOf(feed, runId) === rootId)
    .sort((a, b) => Number(a.origin !== undefined) - Number(b.origin !== undefined));
}
