import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverage, NOTHING_SELECTED, toggled, withRange } from "./selection";

const ORDER = ["a", "b", "c", "d", "e"];
const place = fc.constantFrom(...ORDER);

describe("the selection of a table", () => {
  it("has a row after it was selected, and not after it was once more", () => {
    const once = toggled(NOTHING_SELECTED, "b");
    expect([...once.ids]).toEqual(["b"]);
    expect(toggled(once, "b").ids.size).toBe(0);
  });

  it("has all rows between two, in either direction", () => {
    fc.assert(
      fc.property(place, place, (from, to) => {
        const [first, last] = [from, to].sort();
        const expected = ORDER.filter((id) => id >= (first ?? "") && id <= (last ?? ""));
        expect([...withRange(NOTHING_SELECTED, ORDER, from, to).ids]).toEqual(expected);
      }),
    );
  });

  it("has only the row itself when the other end is not loaded any more", () => {
    expect([...withRange(NOTHING_SELECTED, ORDER, "removed", "c").ids]).toEqual(["c"]);
  });

  it("means loaded rows again when one is left out of all that match", () => {
    const all = { ids: new Set(ORDER), allMatching: true };
    expect(toggled(all, "a")).toEqual({ ids: new Set(["b", "c", "d", "e"]), allMatching: false });
  });

  it("covers all, some or none", () => {
    expect(coverage(NOTHING_SELECTED, ORDER)).toBe("none");
    expect(coverage(toggled(NOTHING_SELECTED, "a"), ORDER)).toBe("some");
    expect(coverage({ ids: new Set(ORDER), allMatching: false }, ORDER)).toBe("all");
    expect(coverage(NOTHING_SELECTED, [])).toBe("none");
  });
});
