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

test("a question is compared by what both evaluations have measured", () => {
  const judged = { documentShare: 0, factShare: 1, judgeScore: 1 };
  const unjudged = { documentShare: 0, factShare: 1 };
  expect(meanOf(judged)).toBeCloseTo(2 / 3);
  expect(meanOf(judged, unjudged)).toBe(0.5);
  expect(meanOf(unjudged, judged)).toBe(0.5);
  expect(meanOf(judged, { passageShare: 1 })).toBeUndefined();
  expect(meanOf(undefined, judged)).toBeUndefined();
});
