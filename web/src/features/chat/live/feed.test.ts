import { describe, expect, test } from "vitest";
import type { RunEventJson } from "@/gen/echomind/public/v1/run_pb";
import { emptyFeed, hasHole, withEvent, withoutHoles } from "./feed";

const RUN = "run-1";
const stored = (id: number, detail: Partial<RunEventJson>): RunEventJson => ({ id: String(id), runId: RUN, ...detail });
const fed = (...events: RunEventJson[]) => events.reduce(withEvent, emptyFeed());

const queued = stored(1, { queued: { assistantMessageId: "12" } });
const call = { toolCallId: "a", toolName: "search_documents" };

describe("stored events", () => {
  test("count once, whatever comes again", () => {
    const warning = stored(2, { kind: "RUN_EVENT_KIND_WARNING", text: "Slow." });
    const feed = fed(queued, warning, warning, queued);
    expect(feed.lastEventId).toBe(2n);
    expect(feed.runs[RUN]?.warnings).toEqual(["Slow."]);
  });

  test("ids beyond what a double holds stay exact", () => {
    const feed = withEvent(emptyFeed(9007199254740992n), { ...queued, id: "9007199254740993" });
    expect(feed.lastEventId).toBe(9007199254740993n);
  });

  test("the end of a tool call belongs to its beginning", () => {
    const began = stored(2, { text: "Searching", toolCall: { ...call, status: "STEP_STATUS_RUNNING", parameters: { query: "x" } } });
    const ended = stored(3, { toolCall: { ...call, status: "STEP_STATUS_COMPLETED", result: "r" } });
    const calls = fed(queued, began, ended).runs[RUN]?.toolCalls;
    expect(calls).toEqual([{ ...call, status: "STEP_STATUS_COMPLETED", parameters: { query: "x" }, result: "r" }]);
  });

  test("an id that a model uses again in a later step is another call", () => {
    const running = { toolCall: { ...call, status: "STEP_STATUS_RUNNING" as const } };
    const done = { toolCall: { ...call, status: "STEP_STATUS_COMPLETED" as const } };
    const calls = fed(queued, stored(2, running), stored(3, done), stored(4, running)).runs[RUN]?.toolCalls;
    expect(calls?.map(({ status }) => status)).toEqual(["STEP_STATUS_COMPLETED", "STEP_STATUS_RUNNING"]);
  });

  test("sources are kept by number", () => {
    const found = (id: number, ...numbers: number[]) => stored(id, { sources: { sources: numbers.map((number) => ({ number })) } });
    const sources = fed(queued, found(2, 1, 3), found(3, 2, 3)).runs[RUN]?.sources;
    expect(sources?.map(({ number }) => number)).toEqual([1, 2, 3]);
  });
});

describe("live text", () => {
  const delta = (offset: number, text: string): RunEventJson => ({ runId: RUN, delta: { messageId: "12", attempt: 1, offset, text } });

  test("changes nothing once the message is stored", () => {
    const message = { id: "12", content: "The answer." };
    const feed = fed(queued, delta(0, "The"), stored(2, { finished: { message } }), delta(3, " wrong"));
    expect(feed.texts).toEqual({});
    expect(feed.runs).toEqual({});
    expect(feed.finished["12"]).toEqual(message);
  });

  test("a missing part is seen, and forgotten for the next connection", () => {
    const feed = fed(delta(0, "ab"), delta(5, "f"));
    expect(hasHole(feed)).toBe(true);
    expect(hasHole(withoutHoles(feed))).toBe(false);
    expect(withoutHoles(feed).texts["12"]?.text).toBe("ab");
  });

  test("a gap moves the place to go on from, and never back", () => {
    expect(withEvent(emptyFeed(3n), { gap: { before: "9" } }).lastEventId).toBe(9n);
    expect(withEvent(emptyFeed(12n), { gap: { before: "9" } }).lastEventId).toBe(12n);
  });
});
