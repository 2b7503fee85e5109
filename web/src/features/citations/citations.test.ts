import { expect, test } from "vitest";
import { codePointLength } from "@/api/code-points";
import { citationAt, fileNameOf, sourcesOf, titleOf, uncheckedCitations } from "./citations";

// Citations of "😀 First. [1] Second. [1]".
const citations = [
  { number: 1, sentenceStart: 0, sentenceEnd: 8, supported: true, snippet: "a" },
  { number: 1, sentenceStart: 13, sentenceEnd: 20, supported: false, snippet: "b" },
  { number: 2, sentenceStart: 13, sentenceEnd: 20, supported: true, snippet: "c" },
];

test("a marker means the citation of the sentence that it stands behind", () => {
  expect(citationAt(citations, 1, codePointLength("😀 First. "))?.snippet).toBe("a");
  expect(citationAt(citations, 1, codePointLength("😀 First. [1] Second. "))?.snippet).toBe("b");
  expect(citationAt(citations, 3, 0)).toBeUndefined();
});

test("citations of an unfinished answer are of the sources that it cites, by its own numbers", () => {
  const sources = [{ number: 1, title: "One" }, { number: 2, title: "Two" }, { number: 3, title: "Three" }];
  const found = uncheckedCitations([3, 1, 9], sources);
  expect(found.map(({ number, title }) => [number, title])).toEqual([[1, "Three"], [2, "One"]]);
});

test("sources are numbered once, with what they do not support", () => {
  expect(sourcesOf([...citations].reverse())).toEqual([
    { number: 1, first: citations[1], uses: 2, unsupported: 1 },
    { number: 2, first: citations[2], uses: 1, unsupported: 0 },
  ]);
});

test("a document without a title is either withheld or removed", () => {
  expect(titleOf({ documentId: "4" })).toBe("Document without access");
  expect(titleOf({})).toBe("Removed document");
});

test("a file's name stands beside a title that is another one", () => {
  expect(fileNameOf({ title: "Leave", fileName: "leave.md" })).toBe("leave.md");
  expect(fileNameOf({ title: "leave.md", fileName: "leave.md" })).toBe("");
  expect(fileNameOf({ title: "A page", url: "https://example.org/" })).toBe("");
});
