import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { usePreferences } from "./preferences";
import { currentUserQuery } from "./users";

const client = new QueryClient();
const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;

test("a change keeps another one that is not saved yet", async () => {
  const reader: UserJson = { id: 1, preferences: { theme: "THEME_DARK" } };
  client.setQueryData(currentUserQuery.queryKey, () => reader);
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    sent.push(body);
    const answer = Response.json({ id: 1, ...(JSON.parse(body) as UserJson) });
    return new Promise((resolve) => answers.push(() => resolve(answer)));
  });
  const { result } = renderHook(usePreferences, { wrapper });
  await act(async () => {
    const first = result.current.change({ density: "DENSITY_COMPACT" });
    const second = result.current.change({ language: "LANGUAGE_DE" });
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    answers[0]?.();
    await first;
    expect(client.getQueryData(currentUserQuery.queryKey)?.preferences?.language).toBe("LANGUAGE_DE");
    await vi.waitFor(() => {
      expect(answers).toHaveLength(2);
    });
    answers[1]?.();
    await second;
  });
  expect(JSON.parse(sent[1] ?? "")).toMatchObject({
    preferences: { theme: "THEME_DARK", density: "DENSITY_COMPACT", language: "LANGUAGE_DE" },
  });
});
