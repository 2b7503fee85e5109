/** Distinguishes the dollars around math from those of prices, in the text of a model or a document. */
import type { Nodes, Root } from "mdast";
import { visit } from "unist-util-visit";

/** Stands for a dollar that is no delimiter, so that the parser does not pair it; from the private use area. */
const PLAIN = "\uE024";
/** Code, other math delimiters, escaped dollars, runs of dollars; what is between is text. */
const TOKEN = /(`+)[^`][\s\S]*?\1(?!`)|\\[()[\]]|\\\$|\$+/g;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Names of functions that are written without a backslash. */
const FUNCTION = /\b(?:arc)?(?:sin|cos|tan|cot|sec|log|ln|exp|lim|max|min|sup|inf|mod|det|dim|gcd|lcm|deg|var|cov|arg)\b/gi;
const COMMAND = /\\[a-zA-Z{}]/;
/** Two words with a blank between them, or a number followed by a word, are prose. */
const PROSE = /\p{L}{2,}[.,;:]?\s+\p{L}{2,}|^\s*[\d.,]+\s*(?:[KMBkmb]|bn|m(?:illion|rd))?[^\p{L}\d=<>+^_\\]*\s\p{L}{2,}/u;
const OPERATOR = /[=<>+*/^_|!≤≥≠≈±·×÷∈∑∫√∞→-]/;
/** A product of few letters with an optional number before them, or a call of a function: `x`, `2n`, `f(x, y)`, `x'`. */
const TERM = /^-?[\d.]*\p{L}{0,2}'*(?:[([][\p{L}\d\s,.+-]*[)\]])?$/u;
const NUMBER = /^-?\d+(?:[.,]\d+)*\s*%?$/;

/** Whether the text between two dollars reads as math. */
function isMath(inner: string): boolean {
  const text = inner.trim();
  if (!text || text !== inner) return false;
  if (COMMAND.test(text)) return true;
  const bare = text.replace(FUNCTION, "f");
  if (PROSE.test(bare)) return false;
  if (TERM.test(bare) || NUMBER.test(text)) return true;
  // A long word is no product of letters: shell variables, names of currencies.
  return OPERATOR.test(bare) && /\p{L}|\d/u.test(bare) && !/\p{L}{4,}/u.test(bare.replaceAll(/_\{?\p{L}+\}?|\^\{?\p{L}+\}?/gu, ""));
}

/** The places of a text's single dollars that delimit math, in pairs. */
function* mathPairs(text: string): Generator<[number, number]> {
  let open = -1;
  let run = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (run) {
      if (token === run) run = "";
      continue;
    }
    if (!token.startsWith("$")) continue;
    if (token.length > 1) {
      // Display math, unless it is not closed.
      if (text.includes(token, index + token.length)) run = token;
      open = -1;
      continue;
    }
    const [before, after] = [text[index - 1] ?? " ", text[index + 1] ?? " "];
    const inner = open < 0 ? "" : text.slice(open + 1, index);
    if (inner && !inner.includes("\n") && !LETTER_OR_DIGIT.test(after) && isMath(inner)) {
      yield [open, index];
      open = -1;
    } else open = /\s/.test(after) || LETTER_OR_DIGIT.test(before) ? -1 : index;
  }
}

/** Whether a text may have math. */
export function hasMath(text: string): boolean {
  if (/\$\$|\\[([]/.test(text)) return true;
  return text.includes("$") && !mathPairs(text).next().done;
}

/**
 * Prepares a text for the parser of math: other delimiters become dollars, and dollars that are no delimiters a
 * placeholder, which `remarkPlainDollars` turns back. Lengths do not change, so that positions stay valid.
 */
export function withDollars(text: string): string {
  const delimiters = new Set([...mathPairs(text)].flat());
  return text.replaceAll(TOKEN, (token: string, _fence: unknown, index: number) => {
    if (/^\\[()[\]]$/.test(token)) return "$$";
    return token === "$" && !delimiters.has(index) ? PLAIN : token;
  });
}

const FIELDS = ["value", "url", "title", "alt", "lang", "meta", "label", "identifier"] as const;

/** A remark plugin that turns placeholders back into dollars; it comes after the one for math. */
export function remarkPlainDollars() {
  return (tree: Root): void => {
    visit(tree, (node: Nodes) => {
      const fields = node as Partial<Record<(typeof FIELDS)[number], unknown>>;
      for (const field of FIELDS) {
        const value = fields[field];
        if (typeof value === "string" && value.includes(PLAIN)) fields[field] = value.replaceAll(PLAIN, "$");
      }
    });
  };
}
