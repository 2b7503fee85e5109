import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_TEXT, withDelta, withSnapshot } from "./answer-text";

const piece = fc.string({ unit: "binary", minLength: 1, maxLength: 6 });

test("deltas in any order, any number of times, give the text", () => {
  const scenario = fc
    .array(piece, { minLength: 1, maxLength: 12 })
    .chain((pieces) => {
      let offset = 0;
      const deltas = pieces.map((text) => {
        const delta = { offset, text };
        offset += Array.from(text).length;
        return delta;
      });
      const repeated = fc.shuffledSubarray([...deltas, ...deltas], { minLength: deltas.length * 2 });
      return fc.tuple(fc.constant(pieces.join("")), repeated);
    });
  fc.assert(
    fc.property(scenario, ([text, deltas]) => {
      const answer = deltas.reduce((known, delta) => withDelta(known, 1, delta.offset, delta.text), NO_TEXT);
      expect(answer).toEqual({ attempt: 1, text, length: Array.from(text).length, ahead: [], cited: [] });
    }),
  );
});

test("the sources that are cited come with the text that cites them, in any order, and start again with an attempt", () => {
  const first = withDelta(withDelta(NO_TEXT, 1, 5, " [2]", [4, 7]), 1, 0, "A [1]", [4]);
  expect(first.cited).toEqual([4, 7]);
  expect(withSnapshot(first, 1, "A [1] [2] [3]", [4, 7, 2]).cited).toEqual([4, 7, 2]);
  expect(withDelta(first, 2, 0, "B").cited).toEqual([]);
});

test("deltas that overlap add only what is new", () => {
  const answer = withDelta(withDelta(NO_TEXT, 1, 0, "a😀b"), 1, 1, "😀bcd");
  expect(answer.text).toBe("a😀bcd");
});

test("a snapshot closes a hole, and what lay behind it is kept", () => {
  const holed = withDelta(withDelta(NO_TEXT, 1, 0, "ab"), 1, 4, "ef");
  expect(holed.text).toBe("ab");
  expect(withSnapshot(holed, 1, "abcd").text).toBe("abcdef");
});

test("an older snapshot of the same attempt takes nothing away", () => {
  const answer = withDelta(NO_TEXT, 2, 0, "abc");
  expect(withSnapshot(answer, 2, "ab")).toBe(answer);
});

test("a higher attempt starts again, a lower one is ignored", () => {
  const first = withDelta(NO_TEXT, 1, 0, "old");
  const second = withDelta(first, 2, 0, "n");
  expect(second.text).toBe("n");
  expect(withDelta(second, 1, 3, "er")).toBe(second);
  expect(withSnapshot(second, 1, "older")).toBe(second);
  expect(withSnapshot(second, 3, "").text).toBe("");
});
