import { expect, test } from "vitest";
import { meanOf, shareOf } from "./measures";

test("what was not measured of a question does not count", () => {
  expect(meanOf({ documentShare: 1, factShare: 0.5 })).toBe(0.75);
  expect(meanOf({ judgeScore: 0 })).toBe(0);
  expect(meanOf({ citations: 2 })).toBeUndefined();
  expect(meanOf(undefined)).toBeUndefined();
});

test("a share of 0 is a measurement", () => {
  expect(shareOf({ facts: 0 }, "facts")).toBe(0);
  expect(shareOf({}, "facts")).toBeUndefined();
});
