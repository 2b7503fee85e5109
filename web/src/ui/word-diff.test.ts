import fc from "fast-check";
import { expect, test } from "vitest";
import { wordDiff } from "./word-diff";

test("words that differ are told apart", () => {
  const shown = wordDiff("Leave is 28 days a year.", "Leave is 30 days a year.").map(({ text, in: where }) => `${where}: ${text}`);
  expect(shown).toEqual(["both: Leave is ", "first: 28 ", "second: 30 ", "both: days a year."]);
  expect(wordDiff("", "")).toEqual([]);
});

test("both texts can be put together again", () => {
  const isWhole = (first: string, second: string) => {
    const parts = wordDiff(first, second);
    const without = (other: string) => parts.filter((part) => part.in !== other).map(({ text }) => text).join("");
    return without("second") === first && without("first") === second;
  };
  fc.assert(fc.property(fc.lorem(), fc.lorem(), isWhole));
});
