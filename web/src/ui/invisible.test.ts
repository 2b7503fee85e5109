import { expect, test } from "vitest";
import { withVisible } from "./invisible";

test.each([
  ["plain text, ümlaut, 漢字 and 👩‍👩‍👧 with ❤️ and 👍🏽", "plain text, ümlaut, 漢字 and 👩‍👩‍👧 with ❤️ and 👍🏽"],
  ["a\u200bb", "a⟨U+200B⟩b"],
  ["pay\u{e0073}\u{e0065}", "pay⟨U+E0073⟩⟨U+E0065⟩"],
  ["a\u200db\ufe0f", "a⟨U+200D⟩b⟨U+FE0F⟩"],
  ["\u202egnp.exe", "⟨U+202E⟩gnp.exe"],
])("%j is shown as %s", (text, shown) => {
  expect(withVisible(text)).toBe(shown);
});
