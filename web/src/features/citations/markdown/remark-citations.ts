/** A remark plugin that turns `[n]` into citations where source n exists. */
import type { PhrasingContent, Root, Text } from "mdast";
import { SKIP, visit } from "unist-util-visit";

const MARKER = /\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g;

/** The element that stands for a citation. It cannot come from the text itself, whose HTML is never parsed. */
export const CITATION_ELEMENT = "cite";

/** Attributes of a citation element: the source's number, and where its marker stands in the text in code units. */
export type CitationAttributes = {
  "data-number": string;
  "data-offset": string;
};

/** Replaces markers of the numbers in `known`; other brackets stay text. */
export function remarkCitations({ known }: { known: ReadonlySet<number> }) {
  return (tree: Root): void => {
    visit(tree, "text", (node, index, parent) => {
      if (index === undefined || !parent || parent.type === "link") return undefined;
      const parts = split(node, known);
      if (!parts) return undefined;
      (parent.children as PhrasingContent[]).splice(index, 1, ...parts);
      return [SKIP, index + parts.length];
    });
  };
}

function split(node: Text, known: ReadonlySet<number>): PhrasingContent[] | undefined {
  const begin = node.position?.start.offset ?? 0;
  const parts: PhrasingContent[] = [];
  let done = 0;
  for (const match of node.value.matchAll(MARKER)) {
    const numbers = (match[1] ?? "").split(",").map(Number);
    if (!numbers.every((number) => known.has(number))) continue;
    // A marker belongs to the word before it: no line break between them.
    const before = node.value.slice(done, match.index).replace(/ +$/, "\u00a0");
    if (before) parts.push({ type: "text", value: before });
    for (const number of numbers) parts.push(citation(number, begin + match.index));
    done = match.index + match[0].length;
  }
  if (done === 0) return undefined;
  if (done < node.value.length) parts.push({ type: "text", value: node.value.slice(done) });
  return parts;
}

function citation(number: number, offset: number): PhrasingContent {
  const attributes: CitationAttributes = { "data-number": String(number), "data-offset": String(offset) };
  const value = `[${number}]`;
  return {
    type: "text",
    value,
    data: { hName: CITATION_ELEMENT, hProperties: attributes, hChildren: [{ type: "text", value }] },
  };
}
