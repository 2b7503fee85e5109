// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeFocus } from "./focus";

const appeared = () => document.getElementById("appeared");

beforeEach(() => {
  document.body.innerHTML = '<button id="appeared"></button><button id="other"></button><input id="typed" />';
});
afterEach(() => document.body.replaceChildren());

test("what appears takes the focus from a button, or from nothing", () => {
  takeFocus(appeared());
  expect(document.activeElement).toBe(appeared());
  document.getElementById("other")?.focus();
  takeFocus(appeared());
  expect(document.activeElement).toBe(appeared());
});

test.each([
  ["an open menu", '<div role="menu" tabindex="-1"></div>'],
  ["an open dialog", "<dialog open></dialog>"],
  ["a menu that opens", '<button aria-haspopup="menu" aria-expanded="true"></button>'],
])("%s keeps it", (_, html) => {
  document.body.insertAdjacentHTML("beforeend", html);
  takeFocus(appeared());
  expect(document.activeElement).toBe(document.body);
});

test("a field that is typed in keeps it", () => {
  const typed = document.getElementById("typed");
  typed?.focus();
  takeFocus(appeared());
  expect(document.activeElement).toBe(typed);
});
