import { describe, expect, it } from "vitest";
import { marked } from "./marked";

const shown = (text: string, query: string) => marked(text, query).map(({ part, isMarked }) => (isMarked ? `[${part}]` : part)).join("");

describe("marked", () => {
  it("marks parts of words, whatever their case", () => {
    expect(shown("Sonderurlaub bei URLAUB", "urlaub bei")).toBe("Sonder[urlaub] [bei] [URLAUB]");
  });

  it("takes the query as it is, and marks nothing for none", () => {
    expect(shown("a.c costs 5 (net)", "a.c (net)")).toBe("[a.c] costs 5 [(net)]");
    expect(shown("abc", "a.c")).toBe("abc");
    expect(shown("abc", " ")).toBe("abc");
  });
});
