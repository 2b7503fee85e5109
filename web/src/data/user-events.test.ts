// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { notebookKeys } from "./notebooks";
import { runKeys } from "./runs";
import { sessionKeys } from "./sessions";
import { createRefresher, followUserEvents } from "./user-events";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what has changed is read again, once for many changes", async () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries");
  client.setQueryData(sessionKeys.detail("8"), { id: 8, notebookId: "3" });
  client.setQueryData(sessionKeys.detail("9"), { id: 9, notebookId: "4" });
  const refresh = createRefresher(client, (session) => session === "6");
  for (const id of ["5", "5", "6"]) refresh({ kind: "USER_EVENT_KIND_SESSION", id });
  refresh({ kind: "USER_EVENT_KIND_INBOX", id: "r" });
  refresh({ kind: "USER_EVENT_KIND_NOTEBOOK", id: "3" });
  expect(invalidate).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(600);
  const keys = invalidate.mock.calls.map(([filters]) => filters?.queryKey);
  expect(keys).toEqual([
    sessionKeys.lists,
    sessionKeys.whole("5"),
    sessionKeys.detail("6"),
    runKeys.waiting,
    notebookKeys.lists,
    notebookKeys.whole("3"),
    sessionKeys.whole("8"),
  ]);
});

test("one tab listens and tells the others", async () => {
  vi.useRealTimers();
  const waiting: (() => void)[] = [];
  const request = async (_: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>) => {
    if (waiting.push(() => void work()) > 1) return;
    signal.addEventListener("abort", () => waiting[1]?.());
    await work();
  };
  vi.stubGlobal("navigator", { locks: { request } });
  let streams = 0;
  vi.stubGlobal("fetch", () => {
    streams += 1;
    return Promise.resolve(new Response('data: {"kind":"USER_EVENT_KIND_RESYNC"}\n\n'));
  });
  const seen: string[] = [];
  const endFirst = followUserEvents(({ kind = "" }, isFirstHand) => seen.push(`first ${kind} ${isFirstHand}`));
  const endSecond = followUserEvents(({ kind = "" }, isFirstHand) => seen.push(`second ${kind} ${isFirstHand}`));
  await vi.waitFor(() => expect(seen).toEqual(["first USER_EVENT_KIND_RESYNC true", "second USER_EVENT_KIND_RESYNC false"]));
  expect(streams).toBe(1);
  endFirst();
  await vi.waitFor(() => expect(seen).toContain("second USER_EVENT_KIND_RESYNC true"));
  endSecond();
});
