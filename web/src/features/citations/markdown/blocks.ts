/** A text in Markdown as its blocks, so that those that are finished are not parsed again with each new word. */

import { codePointLength } from "@/api/code-points";

/** A part of a text that can be rendered alone. */
export interface Block {
  /** Start in the text, in code units. */
  readonly start: number;
  readonly text: string;
  /** Number of code points before it. */
  readonly before: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MATH_FENCE = /^ {0,3}\$\$\s*$/;
/** What a blank line does not end: the rest of a list, or an indented part of it. */
const CONTINUES = /^(?:\s|[-*+]\s|\d{1,9}[.)]\s)/;
/** Uses and definitions of footnotes. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/** Splits a text at blank lines between blocks. One with definitions of links or footnotes stays whole. */
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

/** A text whose math stands between dollars alone. Other delimiters are as long, so that places in it stay what they are. */
export function withDollars(text: string): string {
  return text.replaceAll(/\\[()[\]]/g, "$$$$");
}

/** Whether a text may have math. */
export function hasMath(text: string): boolean {
  return /\$\$|\\[([]/.test(text);
}
