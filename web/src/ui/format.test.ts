import { expect, test } from "vitest";
import { formatDuration } from "./format";

test("time spans are told in their two largest units, without one that is zero", () => {
  const spans = [840, 3240, 59_949, 59_950, 119_600, 125_000, 300_000, 3_599_600, 5_400_000, 86_400_000];
  expect(spans.map(formatDuration)).toEqual([
    "840 ms",
    "3.2 s",
    "59.9 s",
    "1 min",
    "2 min",
    "2 min 5 s",
    "5 min",
    "1 h",
    "1 h 30 min",
    "24 h",
  ]);
});
