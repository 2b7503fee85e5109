import { cleanup, createEvent, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Composer } from "./Composer";

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: true })));

function show(isBusy = false) {
  const onSend = vi.fn<(text: string) => void>();
  function Holder() {
    const [text, setText] = useState("");
    return <Composer text={text} onTextChange={setText} onSend={() => onSend(text)} isBusy={isBusy} />;
  }
  renderInApp(<Holder />);
  return { onSend, box: screen.getByLabelText<HTMLTextAreaElement>("Your question") };
}

test("Enter sends, Shift+Enter begins a new line", async () => {
  const { onSend, box } = show();
  await userEvent.type(box, "one{Shift>}{Enter}{/Shift}two{Enter}");
  expect(onSend.mock.calls).toEqual([["one\ntwo"]]);
});

test("Enter that ends the composition of a word does not send", async () => {
  const { onSend, box } = show();
  await userEvent.type(box, "かな");
  fireEvent(box, createEvent.keyDown(box, { key: "Enter", isComposing: true }));
  expect(onSend).not.toHaveBeenCalled();
});

test("nothing is sent that is empty, or while an answer is written", async () => {
  const idle = show();
  await userEvent.type(idle.box, "  {Enter}");
  expect(idle.onSend).not.toHaveBeenCalled();
  cleanup();
  const busy = show(true);
  await userEvent.type(busy.box, "one{Enter}");
  expect(busy.onSend).not.toHaveBeenCalled();
  expect(busy.box.value).toBe("one");
});

test("while an answer is written Enter queues, and what is queued can be edited again", async () => {
  const [onQueue, onEdit, onSend] = [vi.fn(), vi.fn(), vi.fn()];
  const of = (isQueued: boolean) => (
    <Composer text="And then?" onTextChange={vi.fn()} onSend={onSend} onStop={vi.fn()} onQueue={onQueue} onEdit={onEdit} isQueued={isQueued} isBusy />
  );
  renderInApp(of(false));
  await userEvent.type(screen.getByLabelText("Your question"), "{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Queue" }));
  expect(onQueue).toHaveBeenCalledTimes(2);
  cleanup();
  renderInApp(of(true));
  const box = screen.getByLabelText<HTMLTextAreaElement>("Your question");
  expect(box.readOnly).toBe(true);
  await userEvent.type(box, "{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Edit" }));
  expect([onQueue.mock.calls.length, onSend.mock.calls.length, onEdit.mock.calls.length]).toEqual([2, 0, 1]);
});
