import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf } from "./blocks";

const texts = (text: string) => blocksOf(text).map((block) => block.text);

test("blank lines end blocks, but not lists and fences", () => {
  expect(texts("One.\n\nTwo.\n\n- a\n\n- b\n\n  more\n\nThree.")).toEqual(["One.\n\n", "Two.\n\n- a\n\n- b\n\n  more\n\n", "Three."]);
  expect(texts("```py\na\n\nb\n```\n\nEnd.")).toEqual(["```py\na\n\nb\n```\n\n", "End."]);
  expect(texts("$$\na\n\nb\n$$\n\nEnd.")).toEqual(["$$\na\n\nb\n$$\n\n", "End."]);
});

test("a text with definitions stays whole", () => {
  expect(texts("See [a].\n\nMore.\n\n[a]: https://a.example")).toHaveLength(1);
});

test("blocks are the text, whatever it is", () => {
  const lines = fc.array(fc.oneof(fc.constantFrom("", "```", "~~~", "$$", "- a", "  b", "1. c"), fc.string()));
  fc.assert(
    fc.property(lines, (some) => {
      const text = some.join("\n");
      expect(texts(text).join("")).toBe(text);
      for (const { start, text: part } of blocksOf(text)) expect(text.slice(start, start + part.length)).toBe(part);
    }),
  );
});
