import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { RunWarning } from "@/features/chat/live/run";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { renderInApp } from "@/testing/render";
import { StoredAnswer } from "./StoredAnswer";

const ANSWER: ChatMessageJson = { id: "8", role: "MESSAGE_ROLE_ASSISTANT", status: "MESSAGE_STATUS_COMPLETED", content: "Because." };
const ACTIONS = { edit: vi.fn(), regenerate: vi.fn(), show: vi.fn(), undo: vi.fn(), fork: vi.fn(), exclude: vi.fn() };

function show(memoryIds?: number[], warnings?: RunWarning[]) {
  const message = { ...ANSWER, ...(memoryIds && { memoryIds }) };
  renderInApp(
    <StoredAnswer message={message} run={undefined} todos={[]} warnings={warnings} model="" isQuoted={false} isBusy={false} actions={ACTIONS} onOpenSource={vi.fn()} />,
  );
}

test("says how many memories an answer used and, opened, which", async () => {
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(url.endsWith("/3") ? Response.json({ id: 3, content: "Likes rain." }) : new Response("{}", { status: 404 })),
  );
  show([3, 5]);
  await userEvent.click(screen.getByText("Used 2 memories"));
  expect(await screen.findByText("Likes rain.")).toBeTruthy();
  expect(screen.getByText("Deleted since then: 1")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Manage memories" }).getAttribute("href")).toBe("/settings/memory");
  vi.unstubAllGlobals();
});

test("says nothing of memories without any", () => {
  show();
  expect(screen.queryByText(/memor/)).toBeNull();
});

test("says what its run warned of", () => {
  show(undefined, [{ text: "The answer was cut off." }]);
  expect(screen.getByRole("note").textContent).toBe("The answer was cut off.");
});
