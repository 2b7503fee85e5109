import { describe, expect, test } from "vitest";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";
import { childrenOf, emptyFeed, hasHole, restingFeed, waitingRuns, withEvent, withoutHoles } from "./feed";

const RUN = "run-1";
const stored = (id: number, detail: Partial<SessionEventJson>): SessionEventJson => ({ id: String(id), runId: RUN, ...detail });
const fed = (...events: SessionEventJson[]) => events.reduce(withEvent, emptyFeed());

const queued = stored(1, { queued: { assistantMessageId: "12" } });
const call = { stepNumber: 1, toolCallId: "a", toolName: "search_documents" };

describe("stored events", () => {
  test("count once, whatever comes again", () => {
    const warning = stored(2, { kind: "SESSION_EVENT_KIND_WARNING", text: "Slow." });
    const feed = fed(queued, warning, warning, queued);
    expect(feed.lastEventId).toBe(2n);
    expect(feed.runs[RUN]?.warnings).toEqual([{ text: "Slow." }]);
  });

  test("ids beyond what a double holds stay exact", () => {
    const feed = withEvent(emptyFeed(9007199254740992n), { ...queued, id: "9007199254740993" });
    expect(feed.lastEventId).toBe(9007199254740993n);
  });

  test("a run is recovering from the claim that says so until it gets further", () => {
    const claim = (id: number, attempt: number, isRecovery: boolean) => stored(id, { status: { status: "RUN_STATUS_RUNNING", attempt, isRecovery } });
    const recovering = fed(queued, claim(2, 1, false), claim(3, 2, true));
    expect(recovering.runs[RUN]).toMatchObject({ attempt: 2, isRecovering: true });
    expect(withEvent(recovering, stored(4, { step: { stepNumber: 2 } })).runs[RUN]?.isRecovering).toBe(false);
    expect(withEvent(recovering, claim(4, 3, false)).runs[RUN]?.isRecovering).toBe(false);
  });

  test("the end of a tool call belongs to its beginning", () => {
    const began = stored(2, { text: "Searching", toolCall: { ...call, status: "STEP_STATUS_RUNNING", parameters: { query: "x" } } });
    const ended = stored(3, { toolCall: { ...call, status: "STEP_STATUS_COMPLETED", result: "r" } });
    const calls = fed(queued, began, ended).runs[RUN]?.toolCalls;
    const ending = { status: "STEP_STATUS_COMPLETED", parameters: { query: "x" }, result: "r" };
    expect(calls).toEqual([{ ...call, ...ending }]);
  });

  test("what an event leaves unset has not changed, and what it sets to nothing has", () => {
    const began = stored(2, { toolCall: { ...call, parameters: { query: "x" }, approval: "TOOL_APPROVAL_GRANTED", statusMessage: "Page 1" } });
    const went = stored(3, { toolCall: { ...call, statusMessage: "", progressPercentage: 5 } });
    expect(fed(queued, began, went).runs[RUN]?.toolCalls).toEqual([
      { ...call, parameters: { query: "x" }, approval: "TOOL_APPROVAL_GRANTED", statusMessage: "", progressPercentage: 5 },
    ]);
  });

  test("an id that a model uses again in a later step is another call", () => {
    const running = { toolCall: { ...call, status: "STEP_STATUS_RUNNING" as const } };
    const done = { toolCall: { ...call, status: "STEP_STATUS_COMPLETED" as const } };
    const again = { toolCall: { ...running.toolCall, stepNumber: 2 } };
    const calls = fed(queued, stored(2, running), stored(3, done), stored(4, again)).runs[RUN]?.toolCalls;
    expect(calls?.map(({ status }) => status)).toEqual(["STEP_STATUS_COMPLETED", "STEP_STATUS_RUNNING"]);
  });

  test("sources are kept by number", () => {
    const found = (id: number, ...numbers: number[]) => stored(id, { sources: { sources: numbers.map((number) => ({ number })) } });
    const sources = fed(queued, found(2, 1, 3), found(3, 2, 3)).runs[RUN]?.sources;
    expect(sources?.map(({ number }) => number)).toEqual([1, 2, 3]);
  });
});

describe("live text", () => {
  const delta = (offset: number, text: string): SessionEventJson => ({ runId: RUN, delta: { messageId: "12", attempt: 1, offset, text } });

  test("changes nothing once the message is stored", () => {
    const message = { id: "12", content: "The answer." };
    const feed = fed(queued, delta(0, "The"), stored(2, { finished: { message } }), delta(3, " wrong"));
    expect(feed.texts).toEqual({});
    expect(feed.runs).toEqual({});
    expect(feed.finished["12"]).toEqual(message);
  });

  test("of an ended run keeps the warnings that still hold", () => {
    const warned = (id: number, code: "WARNING_CODE_ANSWER_CUT_OFF" | "WARNING_CODE_RUN_RETRIED") =>
      stored(id, { kind: "SESSION_EVENT_KIND_WARNING", text: "W", warning: { code } });
    const feed = fed(queued, warned(2, "WARNING_CODE_RUN_RETRIED"), warned(3, "WARNING_CODE_ANSWER_CUT_OFF"), stored(4, { finished: {} }));
    const kept = { "12": [{ text: "W", warning: { code: "WARNING_CODE_ANSWER_CUT_OFF" } }] };
    expect(feed.warnings).toEqual(kept);
    expect(restingFeed(feed)).toEqual({ ...emptyFeed(4n), finished: feed.finished, warnings: kept });
  });

  test("of a run that ended where no worker had it stays", () => {
    const feed = fed(queued, delta(0, "The"), stored(2, { finished: { status: "RUN_STATUS_CANCELLED" } }));
    expect(feed.finished["12"]).toEqual({ id: "12", content: "The", status: "MESSAGE_STATUS_CANCELLED" });
  });

  test("of a stopped run keeps the sources of its numbers", () => {
    const found = stored(2, { sources: { sources: [{ number: 3, title: "Handbook", documentId: "4" }] } });
    const cited: SessionEventJson = { runId: RUN, delta: { messageId: "12", attempt: 1, offset: 0, text: "So it is [1].", citedSources: [3] } };
    const feed = fed(queued, found, cited, stored(3, { finished: { status: "RUN_STATUS_CANCELLED" } }));
    expect(feed.finished["12"]?.citations).toEqual([{ number: 1, title: "Handbook", documentId: "4", supported: true }]);
  });

  test("a missing part is seen, and forgotten for the next connection", () => {
    const feed = fed(delta(0, "ab"), delta(5, "f"));
    expect(hasHole(feed)).toBe(true);
    expect(hasHole(withoutHoles(feed))).toBe(false);
    expect(withoutHoles(feed).texts["12"]?.text).toBe("ab");
  });

  test("a gap moves the place to continue from, and never back", () => {
    expect(withEvent(emptyFeed(3n), { gap: { before: "9" } }).lastEventId).toBe(9n);
    expect(withEvent(emptyFeed(12n), { gap: { before: "9" } }).lastEventId).toBe(12n);
  });
});

describe("steps", () => {
  const step = (id: number, stepNumber: number, detail = {}) => stored(id, { step: { stepNumber, ...detail } });

  test("are identified by their number, and an end belongs to its beginning", () => {
    const parallel = { waitStrategy: "WAIT_STRATEGY_ANY" as const };
    const steps = fed(queued, step(2, 1, parallel), step(3, 2), step(4, 1, { status: "STEP_STATUS_COMPLETED" })).runs[RUN]?.steps;
    expect(steps).toEqual([{ stepNumber: 1, ...parallel, status: "STEP_STATUS_COMPLETED" }, { stepNumber: 2 }]);
  });
});

describe("a run that waits for a person", () => {
  const pendingInput = { kind: "PENDING_INPUT_KIND_APPROVAL" as const, toolCalls: [{ toolCallId: "a" }, { toolCallId: "b" }] };
  const asks = stored(2, { inputRequested: { pendingInput } });

  test("keeps what it asks until it resumes", () => {
    const asked = fed(queued, asks);
    expect(asked.runs[RUN]).toMatchObject({ status: "RUN_STATUS_WAITING_FOR_INPUT", pendingInput, requestId: "2" });
    const waiting = withEvent(asked, stored(3, { status: { status: "RUN_STATUS_WAITING_FOR_INPUT" } }));
    expect(waitingRuns(waiting, RUN)).toHaveLength(1);
    const going = withEvent(waiting, stored(4, { status: { status: "RUN_STATUS_QUEUED" } }));
    expect(waitingRuns(going, RUN)).toEqual([]);
  });

  test("does not ask about a call that was decided on", () => {
    const feed = fed(queued, asks, stored(3, { toolCall: { toolCallId: "a", approval: "TOOL_APPROVAL_DENIED" } }));
    expect(feed.runs[RUN]?.pendingInput?.toolCalls).toEqual([{ toolCallId: "b" }]);
  });
});

describe("sub-agents", () => {
  const CHILD = "run-2";
  const started = stored(2, { subRunStarted: { runId: CHILD, goal: "Read the papers", toolCallId: "f" } });
  const ofChild = (id: number, detail: Partial<SessionEventJson>): SessionEventJson => ({ ...stored(id, detail), runId: CHILD });

  test("are known by what started them, and stay when they have ended", () => {
    const end = { status: "RUN_STATUS_FAILED" as const, error: { message: "Lost." } };
    const feed = fed(queued, started, ofChild(3, { queued: { assistantMessageId: "0" } }), ofChild(4, { finished: end }));
    const origin = { parentRunId: RUN, toolCallId: "f", goal: "Read the papers" };
    expect(childrenOf(feed, RUN)).toMatchObject([{ runId: CHILD, origin, status: "RUN_STATUS_FAILED", error: { message: "Lost." } }]);
    expect(feed.finished).toEqual({});
    expect(feed.runs[RUN]?.messageId).toBe("12");
  });

  test("end with their root, however deep", () => {
    const deeper = ofChild(3, { subRunStarted: { runId: "run-3" } });
    const feed = fed(queued, started, deeper, stored(4, { finished: { message: { id: "12" } } }));
    expect(feed.runs).toEqual({});
  });

  test("ask for themselves, after their root", () => {
    const ask = { inputRequested: { pendingInput: { question: "Which?" } } };
    const feed = fed(queued, started, ofChild(3, ask), stored(4, ask));
    expect(waitingRuns(feed, RUN).map(({ runId }) => runId)).toEqual([RUN, CHILD]);
    expect(waitingRuns(feed, CHILD)).toEqual([]);
  });
});

describe("changes of a session", () => {
  test("a plan is the newest one, by run", () => {
    const plan = (id: number, ...titles: string[]) => stored(id, { todos: { todos: titles.map((title) => ({ title })) } });
    const own = { ...plan(5, "d"), runId: "" };
    const feed = fed(queued, plan(2, "a"), plan(3, "a", "b"), { ...plan(4, "c"), runId: "run-2" }, own);
    expect(feed.todos).toEqual({ [RUN]: [{ title: "a" }, { title: "b" }], "run-2": [{ title: "c" }], "": [{ title: "d" }] });
  });

  test("a change of the session is no run's", () => {
    const feed = fed({ id: "7", sessionChanged: { change: "SESSION_CHANGE_SUMMARIZED" } });
    expect(feed).toEqual({ ...emptyFeed(7n), sessionChange: 7n });
  });
});

test("texts of members come piece by piece, and end with their root", () => {
  const live = (runId: string, attempt: number, offset: number, text: string): SessionEventJson => ({
    runId,
    member: "Ada",
    kind: "SESSION_EVENT_KIND_DELTA",
    runText: { attempt, offset, text },
  });
  const started: SessionEventJson[] = [
    { id: "1", runId: "root", queued: { assistantMessageId: "9" } },
    { id: "2", runId: "root", subRunStarted: { runId: "a", kind: "RUN_KIND_MEMBER", assistantName: "Ada" } },
  ];
  const pieces = [live("a", 1, 0, "On"), live("a", 1, 2, "e"), live("a", 1, 0, "One."), live("a", 2, 0, "Again"), live("a", 1, 4, "old")];
  const feed = [...started, ...pieces].reduce(withEvent, emptyFeed());
  expect(feed.runTexts.a?.text).toBe("Again");
  expect(feed.texts).toEqual({});
  const over = withEvent(feed, { id: "3", runId: "root", finished: { status: "RUN_STATUS_COMPLETED", message: { id: "9" } } });
  expect(over.runTexts).toEqual({});
});
