/** A rehype plugin that puts the headings of a text below those around it, without gaps between their levels. */
import type { Root } from "hast";
import { visit } from "unist-util-visit";

/** The first two levels are those of the page and of the text's container. */
const AROUND = 2;
const DEEPEST = 6;

/** Changes the levels of headings. */
export function rehypeHeadings() {
  return (tree: Root): void => {
    let last = AROUND;
    visit(tree, "element", (node) => {
      const level = Number(/^h([1-6])$/.exec(node.tagName)?.[1]);
      if (!level) return;
      last = Math.min(level + AROUND, last + 1, DEEPEST);
      node.tagName = `h${last}`;
    });
  };
}
