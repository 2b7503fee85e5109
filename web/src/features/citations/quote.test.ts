import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findQuote } from "./quote";

const PAGE = ["Requests for leave ", "must be ﬁled two weeks be-", "fore it begins.", "", "Trains come before planes."];

describe("a quote in the texts of a page", () => {
  it("is found over line ends, hyphens and ligatures", () => {
    const found = findQuote(PAGE, "must be filed two weeks before it begins");
    expect(found).toEqual([
      { item: 1, offset: 0 },
      { item: 2, offset: 13 },
    ]);
  });

  it("is found whatever marks of Markdown it has", () => {
    expect(findQuote(PAGE, "## **Requests for leave** must be filed")?.[0]).toEqual({ item: 0, offset: 0 });
  });

  it("is found in part when more than half of it is on the page", () => {
    expect(findQuote(PAGE, "Trains come before planes. On the next page it")).toBeDefined();
    expect(findQuote(PAGE, "Trains come before planes. But on the next page all of this is explained at length")).toBeUndefined();
  });

  it("is not found when it is not there, or says too little", () => {
    expect(findQuote(PAGE, "Nothing of this stands here at all")).toBeUndefined();
    expect(findQuote(PAGE, "leave")).toBeUndefined();
  });

  it("is found wherever it stands", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.nat(), (items, seed) => {
        const from = seed % (items.length - 5);
        const quote = items.slice(from, from + 5).join(" ");
        fc.pre(quote.length > 20);
        expect(findQuote(items, quote)).toBeDefined();
      }),
    );
  });
});
