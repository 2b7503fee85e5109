/** A rehype plugin that marks the words of a quote, and the table rows that it was extracted from. */
import type { Element, Parents, Root, Text } from "hast";
import { SKIP, visit } from "unist-util-visit";
import { findQuote, type Place } from "../quote";

/** The distinct parts of a text: words, or a row of a table. */
interface Piece {
  text: string;
  node: Text | Element;
  parent: Parents;
}

/** Position of a quote in a text. */
interface Found {
  pieces: readonly Piece[];
  first: Place;
  last: Place;
  /** Number of pieces that it touches. */
  count: number;
}

/** Marks a quote with `data-cited`; nothing when it is not in the text. */
export function rehypeQuote({ quote }: { quote: string }) {
  return (tree: Root): void => {
    // Passages repeat the table's header before each cell, unless the table has no header row.
    const [named, unnamed] = [find(tree, quote, true), find(tree, quote, false)];
    const best = named.count >= unnamed.count ? named : unnamed;
    // From the end, so that earlier positions stay valid.
    for (let index = best.first.item + best.count - 1; index >= best.first.item; index -= 1) markPiece(best, index);
  };
}

function find(tree: Root, quote: string, isNamed: boolean): Found {
  const pieces = piecesOf(tree, isNamed);
  const nowhere = { item: 0, offset: 0 };
  const found = findQuote(pieces.map(({ text }) => text), quote);
  const [first, last] = found ?? [nowhere, nowhere];
  return { pieces, first, last, count: found ? last.item - first.item + 1 : 0 };
}

function piecesOf(tree: Root, isNamed: boolean): Piece[] {
  const pieces: Piece[] = [];
  visit(tree, (node, _index, parent) => {
    if (!parent) return undefined;
    if (node.type === "element" && node.tagName === "table") {
      pieces.push(...rowsOf(node, isNamed));
      return SKIP;
    }
    if (node.type === "text" && node.value.trim()) pieces.push({ text: node.value, node, parent });
    return undefined;
  });
  return pieces;
}

function rowsOf(table: Element, isNamed: boolean): Piece[] {
  const pieces: Piece[] = [];
  let names: string[] = [];
  visit(table, "element", (row, _index, parent) => {
    if (row.tagName !== "tr" || !parent) return undefined;
    const cells = row.children.filter((cell) => cell.type === "element").map(wordsOf);
    const isHead = parent.tagName === "thead";
    if (isHead) names = cells;
    const named = isHead ? "" : cells.map((cell, column) => (cell && `${names[column] ?? ""}: ${cell}`)).join("; ");
    pieces.push({ text: isNamed ? named : cells.join(" "), node: row, parent });
    return SKIP;
  });
  return pieces;
}

function wordsOf(element: Element): string {
  let words = "";
  visit(element, "text", ({ value }) => {
    words += value;
  });
  return words;
}

function markPiece({ pieces, first, last }: Found, index: number): void {
  const piece = pieces[index];
  if (!piece) return;
  const { node, parent } = piece;
  if (node.type === "element") {
    node.properties["dataCited"] = "";
    return;
  }
  const { value } = node;
  const from = index === first.item ? first.offset : 0;
  const to = index === last.item ? last.offset + String.fromCodePoint(value.codePointAt(last.offset) ?? 0).length : value.length;
  const mark: Element = { type: "element", tagName: "mark", properties: { dataCited: "" }, children: [text(value.slice(from, to))] };
  const parts = [text(value.slice(0, from)), mark, text(value.slice(to))].filter((part) => part.type !== "text" || part.value);
  parent.children.splice((parent.children as unknown[]).indexOf(node), 1, ...parts);
}

function text(value: string): Text {
  return { type: "text", value };
}
