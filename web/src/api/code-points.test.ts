import fc from "fast-check";
import { expect, test } from "vitest";
import { codePointLength, codeUnitOffset, sliceCodePoints } from "./code-points";

const text = fc.string({ unit: "binary" });

test("lengths and slices agree with the list of code points", () => {
  fc.assert(
    fc.property(text, fc.nat(30), fc.nat(30), (value, a, b) => {
      const points = Array.from(value);
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      expect(codePointLength(value)).toBe(points.length);
      expect(sliceCodePoints(value, start, end)).toBe(points.slice(start, end).join(""));
      expect(sliceCodePoints(value, start)).toBe(points.slice(start).join(""));
      expect(value.slice(0, codeUnitOffset(value, start))).toBe(points.slice(0, start).join(""));
    }),
  );
});

test("an end before the start gives nothing", () => {
  expect(sliceCodePoints("abc", 2, 1)).toBe("");
});
