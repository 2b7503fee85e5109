import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { renderInApp } from "@/testing/render";
import { StoredAnswer } from "./StoredAnswer";

afterEach(cleanup);

const ANSWER: ChatMessageJson = { id: "8", role: "MESSAGE_ROLE_ASSISTANT", status: "MESSAGE_STATUS_COMPLETED", content: "Because." };
const ACTIONS = { edit: vi.fn(), regenerate: vi.fn(), show: vi.fn(), undo: vi.fn(), fork: vi.fn(), exclude: vi.fn() };

function show(memoryIds?: number[]) {
  const message = { ...ANSWER, ...(memoryIds && { memoryIds }) };
  renderInApp(
    <StoredAnswer message={message} run={undefined} todos={[]} model="" isQuoted={false} isBusy={false} actions={ACTIONS} onOpenSource={vi.fn()} />,
  );
  return screen.queryByRole("link", { name: /memor/ });
}

test("says how many memories an answer used, and leads to them", () => {
  const link = show([3, 5]);
  expect(link?.textContent).toBe("Used 2 memories");
  expect(link?.getAttribute("href")).toBe("/settings/memory");
  cleanup();
  expect(show([3])?.textContent).toBe("Used 1 memory");
});

test("says nothing of memories without any", () => {
  expect(show()).toBeNull();
});
