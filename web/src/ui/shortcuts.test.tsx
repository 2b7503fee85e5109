import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { listenToShortcuts, useCtrl, useShortcuts, type Shortcut } from "./shortcuts";

const runs = vi.fn<(keys: string) => void>();
const SHORTCUTS: readonly Shortcut[] = ["Ctrl+k", "?", "g d", "d", "Ctrl+Shift+o"].map((keys) => ({ keys, label: keys, run: () => runs(keys) }));

function Shown() {
  useShortcuts(SHORTCUTS);
  return <input aria-label="Name" />;
}

let stop = () => {};

beforeEach(() => {
  runs.mockClear();
  localStorage.clear();
  stop = listenToShortcuts();
  render(<Shown />);
});

afterEach(() => {
  stop();
  cleanup();
});

const press = (key: string, init: KeyboardEventInit = {}, target: Element = document.body) => fireEvent.keyDown(target, { key, ...init });

test("keys with Ctrl work everywhere, single keys not while typing", () => {
  const box = screen.getByLabelText("Name");
  press("k", { ctrlKey: true }, box);
  press("k", { metaKey: true });
  press("O", { ctrlKey: true, shiftKey: true });
  press("?", { shiftKey: true });
  press("?", { shiftKey: true }, box);
  expect(runs.mock.calls.flat()).toEqual(["Ctrl+k", "Ctrl+k", "Ctrl+Shift+o", "?"]);
});

test("two keys after each other are one shortcut, AltGr types characters", () => {
  press("g");
  press("d");
  press("d");
  press("k", { ctrlKey: true, altKey: true });
  expect(runs.mock.calls.flat()).toEqual(["g d", "d"]);
});

test("single keys can be switched off", () => {
  localStorage.setItem("echomind.single-keys", "off");
  press("?");
  press("k", { ctrlKey: true });
  expect(runs.mock.calls.flat()).toEqual(["Ctrl+k"]);
});

test("what is not shown any more has no shortcuts", () => {
  cleanup();
  press("?");
  expect(runs).not.toHaveBeenCalled();
});

test.each([
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "⌘ Meta"],
  ["Mozilla/5.0 (X11; Linux x86_64)", "Ctrl Control"],
])("on %s the key is %s", (userAgent, shown) => {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(userAgent);
  function Key() {
    const { ctrl, ariaCtrl } = useCtrl();
    return <output>{`${ctrl} ${ariaCtrl}`}</output>;
  }
  renderInApp(<Key />);
  expect(screen.getByText(shown)).toBeDefined();
});
