import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { renderInApp } from "@/testing/render";
import { Question } from "./Question";
import type { MessageActions } from "./use-message-actions";

const MESSAGE: ChatMessageJson = { id: "7", role: "MESSAGE_ROLE_USER", content: "Why?", siblingIds: ["3", "7", "9"] };
const RUN: RunJson = { id: "r", autoRun: true };

function newActions() {
  return {
    edit: vi.fn<MessageActions["edit"]>(() => Promise.resolve()),
    regenerate: vi.fn(),
    show: vi.fn(),
    undo: vi.fn(),
    fork: vi.fn(),
    exclude: vi.fn(),
  };
}

function show(isBusy = false, actions = newActions(), message = MESSAGE, isOwn = true) {
  renderInApp(<Question message={message} run={RUN} isLast isBusy={isBusy} isOwn={isOwn} actions={actions} />);
  return actions;
}

test("Enter asks in the new words, Escape leaves the question as it is", async () => {
  const actions = show();
  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.type(screen.getByLabelText("Edit your question"), "{Escape}");
  expect(screen.getByText("Why?")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.type(screen.getByLabelText("Edit your question"), " And when?{Enter}");
  expect(actions.edit.mock.calls).toEqual([["7", "Why? And when?", RUN]]);
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

test("is excluded from context, says so, and is included again", async () => {
  const actions = show();
  await userEvent.click(screen.getByRole("button", { name: "Exclude question from context" }));
  cleanup();
  show(false, actions, { ...MESSAGE, excluded: true });
  expect(screen.getByText("Excluded from context.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Include question in context" }));
  expect(actions.exclude.mock.calls).toEqual([["7", true], ["7", false]]);
});

test("nothing can be changed while an answer is written", () => {
  show(true);
  for (const name of ["Edit question", "Undo last turn", "Previous version"]) {
    expect(screen.getByRole("button", { name }).getAttribute("aria-disabled")).toBe("true");
  }
});

test("says that somebody else wrote it", () => {
  show(false, newActions(), { ...MESSAGE, authorKind: "AUTHOR_KIND_FOREIGN" });
  expect(screen.getByText("Written by somebody else")).toBeTruthy();
  expect(screen.getByText("Somebody else asked:")).toBeTruthy();
  expect(screen.queryByText("You asked:")).toBeNull();
});

test("does not say that you asked what the owner of another person's conversation did", () => {
  show(true, newActions(), { ...MESSAGE, authorKind: "AUTHOR_KIND_PERSON" }, false);
  expect(screen.getByText("Written by somebody else")).toBeTruthy();
  expect(screen.queryByText("You asked:")).toBeNull();
});

test("does not say that you asked what you have edited of somebody else", () => {
  show(false, newActions(), { ...MESSAGE, authorKind: "AUTHOR_KIND_UNKNOWN" });
  expect(screen.getByText("Perhaps written by somebody else")).toBeTruthy();
  expect(screen.queryByText("You asked:")).toBeNull();
});
