import { cleanup, createEvent, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Composer } from "./Composer";

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: true })));
afterEach(cleanup);

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
