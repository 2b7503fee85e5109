// @vitest-environment jsdom
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { messagesQuery } from "@/data/messages";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { createPorts } from "./ports";

const QUESTION = { content: "Why?", requestId: "r", assistantId: 0 };
const QUEUED = { runId: "run-1", queued: { userMessage: { id: "11", content: "Why?" }, assistantMessageId: "12" } };
const ANSWERED = [
  { id: "11", content: "Why?" },
  { id: "12", content: "", status: "MESSAGE_STATUS_STREAMING" },
];

let client: QueryClient;
/** The requests for the messages of session 5 that are not answered yet. */
let asked: ((messages: object[]) => void)[];
let leave: () => void;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  asked = [];
  vi.stubGlobal("fetch", (_: string, { signal }: { signal: AbortSignal }) => {
    const answer = new Promise((resolve, reject) => {
      asked.push((messages) => resolve(Response.json({ messages })));
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
    return answer;
  });
  leave = new QueryObserver(client, messagesQuery("5")).subscribe(() => undefined);
});

afterEach(() => leave());

const shown = () => client.getQueryData(messagesQuery("5").queryKey)?.map(({ id }: ChatMessageJson) => id);

test("a question shows at once, without reading the messages again", async () => {
  asked[0]?.([{ id: "10" }]);
  await vi.waitFor(() => expect(shown()).toEqual(["10"]));
  createPorts(client, vi.fn()).onQueued("5", QUESTION, QUEUED, false);
  expect(shown()).toEqual(["10", "11", "12"]);
  expect(asked).toHaveLength(1);
});

test.each([["that is the first", 0], ["for what has changed", 1]])("a request %s does not take away a question stored since", async (_, before) => {
  if (before > 0) {
    asked[0]?.([]);
    await vi.waitFor(() => expect(shown()).toEqual([]));
    void client.invalidateQueries({ queryKey: messagesQuery("5").queryKey });
  }
  await vi.waitFor(() => expect(asked).toHaveLength(before + 1));
  createPorts(client, vi.fn()).onQueued("5", QUESTION, QUEUED, false);
  await vi.waitFor(() => expect(asked).toHaveLength(before + 2));
  asked[before]?.([]);
  asked[before + 1]?.(ANSWERED);
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  expect(shown()).toEqual(["11", "12"]);
});
