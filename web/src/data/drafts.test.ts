// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearSentDraft, EMPTY_DRAFT, removeAllDrafts, useDraft } from "./drafts";
import { userKeys } from "./users";

const ANNA = { id: 7 };

beforeEach(() => {
  vi.useFakeTimers();
  removeAllDrafts();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function open(session: string, user = ANNA) {
  const client = new QueryClient();
  client.setQueryData(userKeys.current, user);
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children);
  return renderHook(() => useDraft(session), { wrapper });
}

test("a draft is stored shortly after it was written, for its person and conversation", () => {
  const { result } = open("3");
  act(() => result.current[1]({ text: "What" }));
  act(() => result.current[1](({ text }) => ({ text: `${text}?` })));
  expect(result.current[0].text).toBe("What?");
  expect(localStorage.getItem("echomind.draft.7.3")).toBeNull();
  vi.runAllTimers();
  expect(JSON.parse(localStorage.getItem("echomind.draft.7.3") ?? "")).toMatchObject({ text: "What?" });
  expect(open("3", { id: 8 }).result.current[0]).toEqual(EMPTY_DRAFT);
  expect(open("4").result.current[0]).toEqual(EMPTY_DRAFT);
});

test("a draft that was sent is cleared, and its model stays chosen in the conversation that it began", () => {
  const { result } = open("-");
  act(() => result.current[1]({ text: "What?", llmId: 5, files: [{ documentId: "1", title: "a" }] }));
  act(() => clearSentDraft(ANNA, "-", "9"));
  expect(result.current[0]).toEqual(EMPTY_DRAFT);
  expect(open("9").result.current[0]).toEqual({ ...EMPTY_DRAFT, llmId: 5 });
});

test("signing out removes all drafts of this browser, and what others wrote there stays", () => {
  localStorage.setItem("theme", "dark");
  const { result } = open("3");
  act(() => result.current[1]({ text: "secret" }));
  vi.runAllTimers();
  removeAllDrafts();
  expect(Object.keys(localStorage)).toEqual(["theme"]);
});

test("a draft that cannot be read is an empty one", () => {
  localStorage.setItem("echomind.draft.7.11", "{");
  expect(open("11").result.current[0]).toEqual(EMPTY_DRAFT);
});
