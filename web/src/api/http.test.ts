// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { ApiError, errorOf, request, send } from "./http";

function answer(status: number, body: string) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(new Response(body, { status })));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => vi.unstubAllGlobals());

test("writes carry the proof that they come from this page, reads do not need it", async () => {
  const fetch = answer(200, "{}");
  await request("GET", "/api/v1/users/me");
  await request("POST", "/api/v1/chat-sessions", { body: {} });
  const headers = fetch.mock.calls.map(([, init]) => new Headers(init?.headers).get("X-EchoMind-CSRF"));
  expect(headers).toEqual([null, "1"]);
});

test("empty query values are left out and others are encoded", async () => {
  const fetch = answer(200, "{}");
  await request("GET", "/api/v1/documents", { query: { pageToken: "", status: undefined, name: "a b&c" } });
  expect(fetch.mock.calls[0]?.[0]).toBe("/api/v1/documents?name=a+b%26c");
});

test("an error of the server keeps its reason, message and metadata", async () => {
  answer(409, JSON.stringify({ error: { code: "FAILED_PRECONDITION", reason: "RUN_ACTIVE", message: "Wait.", metadata: { run_id: "7" } } }));
  const error = await send("POST", "/x").catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 409, reason: "RUN_ACTIVE", message: "Wait.", metadata: { run_id: "7" }, isTransient: false });
});

test("an answer that is not the server's is an error with the status", async () => {
  answer(502, "<html>bad gateway</html>");
  const error = await send("GET", "/x").catch((failure: unknown) => failure);
  expect(error).toMatchObject({ message: "The server answered with HTTP status 502.", isTransient: true });
});

test("no answer at all is a failure that may pass", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const error = await send("GET", "/x").catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: "UNREACHABLE", isTransient: true });
});

test("the server's word on when to come back is understood", () => {
  const overloaded = errorOf(429, { error: { code: "RESOURCE_EXHAUSTED", metadata: { retry_after_seconds: 3 } } });
  expect(overloaded.retryAfterMs).toBe(3000);
  expect(errorOf(429, { error: { metadata: { retry_after_seconds: "soon" } } }).retryAfterMs).toBe(0);
});
