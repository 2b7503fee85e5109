import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findQuote, findQuoteOrRow } from "./quote";

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

describe("a row of a table in the texts of a page", () => {
  const TABLE = ["Sizes of tents", "Size", "Length", "Weight", "Price of one", "Small", "1.20 m", "3.5 kg", "49.90 €", "Large", "1.95 m", "6.1 kg", "79.90 €"];

  it("is found without the names of its columns", () => {
    expect(findQuoteOrRow(TABLE, "- Size: Large; Length: 1.95 m; Weight: 6.1 kg; Price of one: 79.90 €")).toEqual([
      { item: 9, offset: 0 },
      { item: 12, offset: 4 },
    ]);
  });

  it("is found with the next one", () => {
    const rows = "Size: Small; Length: 1.20 m; Weight: 3.5 kg; Price of one: 49.90 € Size: Large; Length: 1.95 m; Weight: 6.1 kg; Price of one: 79.90 €";
    expect(findQuoteOrRow(TABLE, rows)?.[0]).toEqual({ item: 5, offset: 0 });
    expect(findQuoteOrRow(TABLE, rows)?.[1].item).toBe(12);
  });

  it("is not found where its cells do not stand together, or are too few letters", () => {
    expect(findQuoteOrRow(TABLE, "Size: Small; Length: 1.95 m; Weight: 6.1 kg")).toBeUndefined();
    expect(findQuoteOrRow(["1", "2"], "A: 1; B: 2")).toBeUndefined();
  });

  it("is no other text with a colon", () => {
    expect(findQuoteOrRow(TABLE, "Note: large, and nothing of this stands in the table at all")).toBeUndefined();
    expect(findQuoteOrRow(TABLE, "Sizes of tents size length")?.[0]).toEqual({ item: 0, offset: 0 });
  });
});
