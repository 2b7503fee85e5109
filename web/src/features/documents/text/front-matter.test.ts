import { expect, test } from "vitest";
import { splitFrontMatter } from "./front-matter";

test("the headers of an e-mail are parted from its text", () => {
  const { properties, body } = splitFrontMatter('---\nsubject: Keys: where they are\nfrom: "Ada" <ada@example.org>\nto: \n---\n\nDear all,');
  expect(properties).toEqual([["subject", "Keys: where they are"], ["from", '"Ada" <ada@example.org>']]);
  expect(body).toBe("\nDear all,");
});

test("lists and quotes of YAML are read as people read them", () => {
  expect(splitFrontMatter("---\ntitle: 'Plan B'\ntags:\n  - house\n  - move\n---\nText").properties).toEqual([["title", "Plan B"], ["tags", "house, move"]]);
});

test("rules between paragraphs are no front matter", () => {
  const text = "---\n\nA paragraph.\n\n---\n\nMore";
  expect(splitFrontMatter(text)).toEqual({ properties: [], body: text });
  expect(splitFrontMatter("Text\n---\na: b\n---\n").properties).toEqual([]);
});
