// @vitest-environment jsdom
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";
import { setFeedback, streamMessage } from "@/gen/echomind/public/v1/chat_message_service_client";
import { updateChatSession } from "@/gen/echomind/public/v1/chat_session_service_client";
import { listDocuments } from "@/gen/echomind/public/v1/document_service_client";
import { cancelRun, getStepPrompt, streamSessionEvents } from "@/gen/echomind/public/v1/run_service_client";
import { createUser } from "@/gen/echomind/public/v1/user_service_client";
import { call } from "./call";

/** Responds to every request with a body, and records the requests as method, URL and body. */
function answered(body: string): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, { method, body: sent }: { method: string; body?: string }) => {
    asked.push([method, url, sent].filter((part) => part !== undefined).join(" "));
    return Promise.resolve(new Response(body));
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

test("the fields of a request go to path, query and body as the contract says", async () => {
  const asked = answered("{}");
  await getStepPrompt({ id: "a/b", stepNumber: 3 });
  await cancelRun({ id: "r" });
  await setFeedback({ id: 7, feedback: { isPositive: false } });
  await updateChatSession({ id: 5, chatSession: { title: "New" } });
  await createUser({ user: { userName: "ada" } });
  await listDocuments({ pageToken: "", connectorId: 4, status: "DOCUMENT_STATUS_FAILED" });
  expect(asked).toEqual([
    "GET /api/v1/runs/a%2Fb/steps/3/prompt",
    "POST /api/v1/runs/r:cancel {}",
    'PUT /api/v1/messages/7/feedback {"isPositive":false}',
    'PATCH /api/v1/chat-sessions/5 {"title":"New"}',
    'POST /api/v1/users {"userName":"ada"}',
    "GET /api/v1/documents?connectorId=4&status=DOCUMENT_STATUS_FAILED",
  ]);
});

test("a list in a query is its key repeated", async () => {
  const asked = answered("{}");
  await call<{ id?: string; tags?: string[] }, object, "id">("GET", "/things/{id}")({ id: "1", tags: ["a", "b c"] });
  expect(asked).toEqual(["GET /things/1?tags=a&tags=b+c"]);
});

test("the fields of a message in a query have its name in front", async () => {
  const asked = answered("{}");
  await listDocuments({ filter: { query: "a b", connectorIds: [1, 2] }, descending: true });
  expect(asked).toEqual(["GET /api/v1/documents?filter.query=a+b&filter.connectorIds=1&filter.connectorIds=2&descending=true"]);
});

test("the request stays as its caller made it", async () => {
  answered("{}");
  const fields = { id: "r" };
  await cancelRun(fields);
  expect(fields).toEqual({ id: "r" });
});

test("a stream is there when the server has accepted it, and gives its items", async () => {
  const asked = answered('id: 4\ndata: {"id":"4"}\n\ndata: {"id":"5"}\n\n');
  const items = [];
  for await (const event of await streamSessionEvents({ chatSessionId: 2, after: "3" })) items.push(event.id);
  expect(items).toEqual(["4", "5"]);
  await streamMessage({ chatSessionId: "-", content: "Why?" });
  expect(asked).toEqual([
    "GET /api/v1/chat-sessions/2/events?after=3",
    'POST /api/v1/chat-sessions/-/messages:stream {"content":"Why?"}',
  ]);
});

test("a path without one of its fields is refused by the compiler", () => {
  expectTypeOf(cancelRun).parameter(0).toHaveProperty("id").toEqualTypeOf<string | number>();
  expectTypeOf(updateChatSession).parameter(0).not.toHaveProperty("updateMask");
});
