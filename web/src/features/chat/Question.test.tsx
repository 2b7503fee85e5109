import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Question } from "./Question";
import type { MessageActions } from "./use-message-actions";

afterEach(cleanup);

const MESSAGE = { id: "7", content: "Why?", siblingIds: ["3", "7", "9"] };

function show(isBusy = false) {
  const actions = {
    edit: vi.fn<MessageActions["edit"]>(() => Promise.resolve()),
    regenerate: vi.fn(),
    show: vi.fn(),
    undo: vi.fn(),
    fork: vi.fn(),
  };
  render(<Question message={MESSAGE} isLast isBusy={isBusy} actions={actions} />);
  return actions;
}

test("Enter asks in the new words, Escape leaves the question as it is", async () => {
  const actions = show();
  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.type(screen.getByLabelText("Edit your question"), "{Escape}");
  expect(screen.getByText("Why?")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.type(screen.getByLabelText("Edit your question"), " And when?{Enter}");
  expect(actions.edit.mock.calls).toEqual([["7", "Why? And when?"]]);
});

test("a refused edit keeps the new words", async () => {
  const actions = show();
  actions.edit.mockRejectedValue(new Error("There is a run."));
  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.type(screen.getByLabelText("Edit your question"), " Now?{Enter}");
  expect(screen.getByLabelText<HTMLTextAreaElement>("Edit your question").value).toBe("Why? Now?");
});

test("goes to the versions beside it", async () => {
  const actions = show();
  expect(screen.getByRole("group", { name: "Version 2 of 3" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Previous version" }));
  await userEvent.click(screen.getByRole("button", { name: "Next version" }));
  expect(actions.show.mock.calls).toEqual([["3"], ["9"]]);
});

test("nothing can be changed while an answer is written", () => {
  show(true);
  for (const name of ["Edit question", "Take question and answer back", "Previous version"]) {
    expect(screen.getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(true);
  }
});
