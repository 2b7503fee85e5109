import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { checkpointKeys, useRestoreCheckpoint } from "./checkpoints";
import { messageKeys, useExcludeMessage } from "./messages";
import { runKeys } from "./runs";
import { sessionKeys, useForkSession, useIsSessionChanging, useSessionActions, useUpdateSession } from "./sessions";
import { todoKeys, useUpdateTodo } from "./todos";

const OF_SESSION = {
  detail: sessionKeys.detail("5"),
  messages: messageKeys.ofSession("5"),
  runs: runKeys.ofSession("5"),
  todos: todoKeys.ofSession("5"),
  checkpoints: checkpointKeys.ofSession("5"),
};
const KEYS: Record<string, QueryKey> = { ...OF_SESSION, lists: sessionKeys.lists, other: messageKeys.ofSession("55") };

let client: QueryClient;
let answer: Response;

beforeEach(() => {
  client = new QueryClient();
  for (const key of Object.values(KEYS)) client.setQueryData(key, {});
  answer = Response.json({ id: 5, title: "New" });
  vi.stubGlobal("fetch", () => Promise.resolve(answer));
});

function hook<T>(use: () => T) {
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  return renderHook(use, { wrapper }).result;
}

/** Queries to refresh. */
function stale(): string[] {
  return Object.keys(KEYS).filter((name) => client.getQueryState(KEYS[name] ?? [])?.isInvalidated);
}

test("a changed session is what the server answered, and the list is read again", async () => {
  const update = hook(() => useUpdateSession("5"));
  await act(() => update.current.mutateAsync({ title: "New" }));
  expect(client.getQueryData(OF_SESSION.detail)).toEqual({ id: 5, title: "New" });
  expect(stale()).toEqual(["lists"]);
});

test.each([
  ["excluding a message", () => useExcludeMessage("5"), { id: "1", isExcluded: true }],
  ["restoring a checkpoint", () => useRestoreCheckpoint("5"), "9"],
] as const)("%s makes all of its session stale and nothing of others", async (_, use, values) => {
  const change = hook<{ mutateAsync: (values: never) => Promise<unknown> }>(use);
  await act(() => change.current.mutateAsync(values as never));
  expect(stale()).toEqual(Object.keys(OF_SESSION));
});

test("a change that was refused makes the session stale, too: somebody else may have changed it", async () => {
  answer = Response.json({ error: { code: "NOT_FOUND", message: "It is not there." } }, { status: 404 });
  const change = hook(() => useExcludeMessage("5"));
  await act(() => change.current.mutateAsync({ id: "1", isExcluded: true }).catch(() => undefined));
  expect(stale()).toEqual(Object.keys(OF_SESSION));
});

test("a changed todo makes the plans stale, a fork the list", async () => {
  const update = hook(() => useUpdateTodo("5"));
  await act(() => update.current.mutateAsync({ id: "3", status: "TODO_STATUS_COMPLETED" }));
  expect(stale()).toEqual(["todos"]);
  answer = Response.json({ id: 6 });
  const fork = hook(() => useForkSession("5"));
  await act(() => fork.current.mutateAsync("0"));
  expect(stale()).toEqual(["todos", "lists"]);
});

test("what was read of a removed session goes with it", async () => {
  const actions = hook(useSessionActions);
  await act(() => actions.current.remove("5", true));
  expect(client.getQueryData(OF_SESSION.messages)).toBeUndefined();
  expect(client.getQueryData(KEYS["other"] ?? [])).toEqual({});
});

test("lists show a change at once, and what was before when it is refused", async () => {
  const listed = (isArchived: boolean) =>
    client.getQueryData<{ pages: { chatSessions: unknown[] }[] }>(sessionKeys.list(isArchived))?.pages[0]?.chatSessions;
  const fill = () => client.setQueryData(sessionKeys.list(false), { pages: [{ chatSessions: [{ id: 5, title: "A" }, { id: 6 }] }], pageParams: [""] });
  let respond: (response: Response) => void = () => undefined;
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (respond = resolve)));
  const actions = hook(useSessionActions);
  fill();
  let changing = actions.current.update("5", { pinned: true });
  await waitFor(() => expect(listed(false)).toEqual([{ id: 5, title: "A", pinned: true }, { id: 6 }]));
  respond(Response.json({ id: 5, title: "A", pinned: true }));
  await changing;
  fill();
  changing = actions.current.update("5", { archived: true });
  await waitFor(() => expect(listed(false)).toEqual([{ id: 6 }]));
  respond(new Response("{}", { status: 500 }));
  await expect(changing).rejects.toThrow();
  expect(client.getQueryState(sessionKeys.list(false))?.isInvalidated).toBe(true);
});

test("while one component changes a session, all others know", async () => {
  let respond: (response: Response) => void = () => undefined;
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (respond = resolve)));
  const change = hook(() => useExcludeMessage("5"));
  const isChanging = hook(() => useIsSessionChanging("5"));
  const isOtherChanging = hook(() => useIsSessionChanging("55"));
  act(() => change.current.mutate({ id: "1", isExcluded: true }));
  await waitFor(() => expect(isChanging.current).toBe(true));
  expect(isOtherChanging.current).toBe(false);
  respond(answer);
  await waitFor(() => expect(isChanging.current).toBe(false));
});
