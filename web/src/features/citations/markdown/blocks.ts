/** Splits Markdown into blocks, so that finished blocks are not parsed again for each new word. */

import { codePointLength } from "@/api/code-points";

/** A part of a text that can be rendered separately. */
export interface Block {
  /** Start in the text, in code units. */
  readonly start: number;
  readonly text: string;
  /** Number of code points before it. */
  readonly before: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MATH_FENCE = /^ {0,3}\$\$\s*$/;
/** Lines that continue a block after a blank line: list items and indented parts of them. */
const CONTINUES = /^(?:\s|[-*+]\s|\d{1,9}[.)]\s)/;
/** Uses and definitions of footnotes. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/** Splits a text at blank lines between blocks. A text with definitions of links or footnotes is not split. */
export function blocksOf(text: string): Block[] {
  if (DEFINITION.test(text)) return [{ start: 0, text, before: 0 }];
  const blocks: Block[] = [];
  const add = (start: number, part: string) => {
    const last = blocks.at(-1);
    blocks.push({ start, text: part, before: last ? last.before + codePointLength(last.text) : 0 });
  };
  let begin = 0;
  let place = 0;
  let fence = "";
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    const isBlank = line.trim() === "";
    if (isAfterBlank && !isBlank && !fence && !CONTINUES.test(line)) {
      add(begin, text.slice(begin, place));
      begin = place;
    }
    fence = fenceAfter(line, fence);
    isAfterBlank = isBlank && !fence;
    place += line.length + 1;
  }
  if (begin < text.length) add(begin, text.slice(begin));
  return blocks;
}

/** The fence that is open after a line; empty for none. */
function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? (MATH_FENCE.test(line) ? "$$" : "");
  if (!open) return mark;
  const closes = mark.startsWith(open) && line.trim() === mark.trim();
  return closes ? "" : open;
}
