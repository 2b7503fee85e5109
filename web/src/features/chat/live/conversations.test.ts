// @vitest-environment jsdom
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import { readEvents } from "@/api/sse";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";
import { Conversations, NEW_SESSION, type Ports } from "./conversations";

const SESSION = "5";
const MESSAGE = "12";
const QUESTION = { content: "Why?", requestId: "r", assistantId: 0 };
const base = { chatSessionId: 5, runId: "run-1" };

/** Events of a session, in order: stored events and pieces of text. */
type Happening = SessionEventJson;

/** The happenings of one run whose attempts wrote these pieces; only the last attempt finished. */
function happenings(attempts: string[][], content: string): Happening[] {
  let id = 0;
  const stored = (detail: Partial<SessionEventJson>) => ({ ...base, id: String((id += 1)), ...detail });
  const all: Happening[] = [stored({ queued: { userMessage: { id: "11" }, assistantMessageId: MESSAGE } })];
  attempts.forEach((pieces, index) => {
    const attempt = index + 1;
    all.push(stored({ status: { status: "RUN_STATUS_RUNNING", attempt } }));
    let offset = 0;
    for (const text of pieces) {
      all.push({ ...base, delta: { messageId: MESSAGE, attempt, offset, text } });
      offset += Array.from(text).length;
      if (offset % 3 === 0) all.push(stored({ text: `At ${offset}` }));
    }
  });
  all.push(stored({ finished: { message: { id: MESSAGE, content } } }));
  return all;
}

/** The script of one connection: its events, those missed before it, and how text arrives. */
interface Fate {
  brings: number;
  missedBefore: number;
  /** A piece of text whose number is a multiple of this is lost (0: none). */
  loses: number;
  repeats: boolean;
  ends: "close" | "break" | "refuse" | "hang";
}

/** A server with that session; each connection has the fate that is next, and good ones follow when all are used. */
class Server {
  asked = 0;
  readonly opened: string[] = [];
  private now = 0;
  private readonly all: Happening[];
  private readonly fates: Fate[];

  constructor(all: Happening[], fates: Fate[]) {
    this.all = all;
    this.fates = [...fates];
  }

  connect(session: string, after: bigint): Promise<AsyncIterable<SessionEventJson>> {
    this.opened.push(`${session} after ${String(after)}`);
    const fate = this.fates.shift();
    if (fate?.ends === "refuse") return Promise.reject(new ApiError(0, "UNREACHABLE", "", "away"));
    this.now = Math.min(this.all.length, this.now + (fate?.missedBefore ?? 0));
    const events = this.replay(after);
    const until = fate ? Math.min(this.all.length, this.now + fate.brings) : this.all.length;
    for (const event of this.all.slice(this.now, until)) {
      this.now += 1;
      if (event.delta && fate?.loses && this.now % fate.loses === 0) continue;
      if (BigInt(event.id ?? 0) > after || event.delta) events.push(event);
      if (fate?.repeats) events.push(event);
    }
    return Promise.resolve(readEvents(wire(events, fate?.ends)));
  }

  /** Stored events after one, and the text of the current attempt. */
  private replay(after: bigint): SessionEventJson[] {
    const past = this.all.slice(0, this.now);
    const events = past.filter((event) => event.id && BigInt(event.id) > after);
    const attempt = Math.max(0, ...past.map((event) => event.delta?.attempt ?? 0));
    const text = past.flatMap(({ delta }) => (delta?.attempt === attempt ? [delta.text ?? ""] : [])).join("");
    if (attempt) events.push({ ...base, snapshot: { messageId: MESSAGE, attempt, text } });
    return events;
  }
}

function wire(events: SessionEventJson[], ends: Fate["ends"] = "close"): Response {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => {
      if (ends === "break") controller.error(new TypeError("network error"));
      if (ends === "close") controller.close();
    },
  });
  return new Response(body);
}

function conversationsOn(server: Server, overrides: Partial<Ports> = {}) {
  const finished: ChatMessageJson[] = [];
  let queued = 0;
  let cursor = 0n;
  const ports: Ports = {
    ask: (session) => {
      server.asked += 1;
      return server.connect(session, 0n);
    },
    events: (session, after) => server.connect(session, after),
    readCursor: () => cursor,
    writeCursor: (_, id) => (cursor = id),
    onQueued: () => (queued += 1),
    onFinished: (_, message) => finished.push(message),
    queued: () => undefined,
    onFailed: vi.fn(),
    wait: () => Promise.resolve(),
    ...overrides,
  };
  const conversations = new Conversations(ports);
  return { conversations, finished, queued: () => queued, cursor: () => cursor, onFailed: ports.onFailed };
}

const fate = fc.record({
  brings: fc.nat(12),
  missedBefore: fc.nat(6),
  loses: fc.nat(4),
  repeats: fc.boolean(),
  ends: fc.constantFrom("close" as const, "break" as const, "refuse" as const),
});
const attempts = fc.array(fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 4 }), { maxLength: 10 }), { minLength: 1, maxLength: 3 });

test("whatever the network does, a question ends with exactly the stored answer", async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.string(), fc.array(fate, { maxLength: 8 }), async (pieces, content, fates) => {
      const all = happenings(pieces, content);
      const server = new Server(all, fates);
      const { conversations, finished, queued, cursor } = conversationsOn(server);
      await conversations.ask(NEW_SESSION, QUESTION);
      expect(finished).toEqual([{ id: MESSAGE, content }]);
      expect(conversations.get(SESSION).feed.finished).toEqual({ [MESSAGE]: { id: MESSAGE, content } });
      expect(conversations.get(SESSION)).toMatchObject({ isFollowing: false, isConnected: true, question: undefined });
      expect(conversations.get(NEW_SESSION).isFollowing).toBe(false);
      expect(queued()).toBe(1);
      expect(cursor()).toBe(BigInt(all.at(-1)?.id ?? 0));
    }),
  );
});

test("at every moment the text shown is a beginning of what one attempt wrote", async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.array(fate, { maxLength: 8 }), async (pieces, fates) => {
      const server = new Server(happenings(pieces, "end"), fates);
      const { conversations } = conversationsOn(server);
      const seen: string[] = [];
      const get = conversations.get.bind(conversations);
      vi.spyOn(conversations, "get").mockImplementation((key) => {
        const conversation = get(key);
        seen.push(conversation.feed.texts[MESSAGE]?.text ?? "");
        return conversation;
      });
      await conversations.ask(NEW_SESSION, QUESTION);
      const texts = pieces.map((attempt) => attempt.join(""));
      for (const text of seen) expect(texts.some((whole) => whole.startsWith(text))).toBe(true);
    }),
  );
});

test("the end of a sub-agent is not the end of the answer", async () => {
  const all = happenings([["a", "b"]], "ab");
  const child = { chatSessionId: 5, runId: "run-2" };
  const ofChild: SessionEventJson[] = [
    { ...base, id: "1.1", subRunStarted: { runId: "run-2", goal: "Look" } },
    { ...child, id: "1.2", queued: {} },
    { ...child, id: "1.3", finished: { status: "RUN_STATUS_COMPLETED" } },
  ];
  const events = [all[0] ?? {}, ...ofChild, ...all.slice(1)].map((event, index) =>
    event.id ? { ...event, id: String(index + 1) } : event,
  );
  const { conversations, finished, queued } = conversationsOn(new Server(events, []));
  await conversations.ask(NEW_SESSION, QUESTION);
  expect(finished).toEqual([{ id: MESSAGE, content: "ab" }]);
  expect(queued()).toBe(1);
});

test("a stored question is not asked again, and each connection continues after the last event", async () => {
  const fates: Fate[] = [
    { brings: 0, missedBefore: 0, loses: 0, repeats: false, ends: "refuse" },
    { brings: 2, missedBefore: 0, loses: 0, repeats: false, ends: "break" },
    { brings: 1, missedBefore: 0, loses: 0, repeats: false, ends: "close" },
  ];
  const server = new Server(happenings([["a", "b"]], "ab"), fates);
  const { conversations } = conversationsOn(server);
  await conversations.ask(NEW_SESSION, QUESTION);
  expect(server.opened).toEqual(["- after 0", "- after 0", "5 after 2", "5 after 2"]);
});

test("a lost piece of text makes a new connection at once, which brings it", async () => {
  const server = new Server(happenings([["a", "b", "c", "d"]], "end"), [
    { brings: 5, missedBefore: 0, loses: 4, repeats: false, ends: "hang" },
  ]);
  const { conversations } = conversationsOn(server);
  const texts: string[] = [];
  const get = conversations.get.bind(conversations);
  vi.spyOn(conversations, "get").mockImplementation((key) => {
    texts.push(get(key).feed.texts[MESSAGE]?.text ?? "");
    return get(key);
  });
  await conversations.ask(NEW_SESSION, QUESTION);
  expect(server.opened).toHaveLength(2);
  expect(texts).toContain("abc");
});

test("what was queued meanwhile is asked when the answer is complete", async () => {
  const server = new Server(happenings([["a", "b"]], "ab"), []);
  const waiting = [{ ...QUESTION, content: "And then?", requestId: "next" }];
  const asked: string[] = [];
  const { conversations } = conversationsOn(server, {
    queued: () => waiting.pop(),
    ask: (session, { content, requestId }) => {
      asked.push(`${session} ${content} ${requestId}`);
      return Promise.reject(new ApiError(400, "FAILED_PRECONDITION", "RUN_ACTIVE", "There is a run."));
    },
  });
  await conversations.attach(SESSION, MESSAGE);
  expect(asked).toEqual(["5 And then? next"]);
  expect(conversations.get(SESSION).question?.content).toBe("And then?");
});

test("after a reload the answer at work is followed from the remembered event", async () => {
  const server = new Server(happenings([["a", "b"]], "ab"), []);
  const { conversations, finished } = conversationsOn(server);
  await conversations.attach(SESSION, MESSAGE);
  expect(finished).toEqual([{ id: MESSAGE, content: "ab" }]);
  expect(server.asked).toBe(0);
  await conversations.attach(SESSION, MESSAGE);
  expect(server.opened).toHaveLength(1);
});

test("a refusal that nobody can wait out is shown, with the question kept", async () => {
  const refusal = new ApiError(400, "FAILED_PRECONDITION", "RUN_ACTIVE", "There is a run.");
  const server = new Server([], []);
  const { conversations, onFailed } = conversationsOn(server, { ask: () => Promise.reject(refusal) });
  await conversations.ask(SESSION, QUESTION);
  expect(conversations.get(SESSION)).toMatchObject({ error: refusal, question: QUESTION, isFollowing: false });
  expect(onFailed).toHaveBeenCalledWith(SESSION, refusal);
});

test("a conversation that is forgotten is followed no longer", async () => {
  const { conversations, onFailed } = conversationsOn(new Server([], []), {
    events: (_, __, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  });
  const following = conversations.attach(SESSION, MESSAGE);
  conversations.forget(SESSION);
  await following;
  expect(conversations.get(SESSION).isFollowing).toBe(false);
  expect(onFailed).not.toHaveBeenCalled();
});
