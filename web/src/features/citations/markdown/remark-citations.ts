/** A remark plugin that turns `[n]` into citations where source n exists, and `[Kn]` where entity n of knowledge was found. */
import type { PhrasingContent, Root, Text } from "mdast";
import { SKIP, visit } from "unist-util-visit";

const MARKER = /\[((?:\d{1,4}|K\d{1,15})(?:\s*,\s*(?:\d{1,4}|K\d{1,15}))*)\]/g;

/** The element of a citation. The text itself cannot contain it, because its HTML is not parsed. */
const CITATION_ELEMENT = "cite";

/** Attributes of a citation element: its name (`7`, `K12`), and the marker's position in the text in code units. */
export type CitationAttributes = {
  "data-name": string;
  "data-offset": string;
};

/** Replaces markers of the names in `known`; other brackets stay text. */
export function remarkCitations({ known }: { known: ReadonlySet<string> }) {
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

function split(node: Text, known: ReadonlySet<string>): PhrasingContent[] | undefined {
  const begin = node.position?.start.offset ?? 0;
  const parts: PhrasingContent[] = [];
  let done = 0;
  for (const match of node.value.matchAll(MARKER)) {
    const names = (match[1] ?? "").split(",").map(nameOf);
    if (!names.every((name) => known.has(name))) continue;
    // A no-break space keeps the marker on the line of the word before it.
    const before = node.value.slice(done, match.index).replace(/ +$/, "\u00a0");
    if (before) parts.push({ type: "text", value: before });
    for (const name of names) parts.push(citation(name, begin + match.index));
    done = match.index + match[0].length;
  }
  if (done === 0) return undefined;
  if (done < node.value.length) parts.push({ type: "text", value: node.value.slice(done) });
  return parts;
}

/** A source's number, or an entity's name, in one form. */
function nameOf(written: string): string {
  const name = written.trim();
  return name.startsWith("K") ? name : String(Number(name));
}

function citation(name: string, offset: number): PhrasingContent {
  const attributes: CitationAttributes = { "data-name": name, "data-offset": String(offset) };
  const value = `[${name}]`;
  return {
    type: "text",
    value,
    data: { hName: CITATION_ELEMENT, hProperties: attributes, hChildren: [{ type: "text", value }] },
  };
}
