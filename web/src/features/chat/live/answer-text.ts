/** Assembles the text of an answer from deltas and snapshots, whatever is repeated, late or missing. */
import { codePointLength, sliceCodePoints } from "@/api/code-points";

/** A piece of text at its offset, in code points. */
interface Piece {
  readonly offset: number;
  readonly text: string;
}

/** The text so far, as one worker's turn (`attempt`) wrote it. */
export interface AnswerText {
  readonly attempt: number;
  readonly text: string;
  /** Length of `text` in code points. */
  readonly length: number;
  /** Pieces after a gap, which a snapshot will fill. */
  readonly ahead: readonly Piece[];
  /** The sources that the text cites, by their number in the run: its citation 1 is of the first of them. */
  readonly cited: readonly number[];
}

/** No text yet. */
export const NO_TEXT: AnswerText = { attempt: 0, text: "", length: 0, ahead: [], cited: [] };

/** Adds a delta. A higher attempt starts over, a lower one is ignored, and known text is not added twice. */
export function withDelta(
  answer: AnswerText,
  attempt: number,
  offset: number,
  text: string,
  cited: readonly number[] = [],
): AnswerText {
  if (attempt < answer.attempt) return answer;
  const current = attempt > answer.attempt ? { ...NO_TEXT, attempt } : answer;
  return closed({ ...current, ahead: [...current.ahead, { offset, text }], cited: longer(current.cited, cited) });
}

/** Applies a snapshot. Within an attempt text only grows, so a shorter one is an older one and is ignored. */
export function withSnapshot(
  answer: AnswerText,
  attempt: number,
  text: string,
  cited: readonly number[] = [],
): AnswerText {
  if (attempt < answer.attempt) return answer;
  const before = attempt > answer.attempt ? { ...NO_TEXT, attempt } : answer;
  const length = codePointLength(text);
  if (attempt === answer.attempt && length <= answer.length) return answer;
  return closed({ ...before, text, length, cited: longer(before.cited, cited) });
}

/** The longer one of two lists with a common prefix. */
function longer(a: readonly number[], b: readonly number[]): readonly number[] {
  return b.length > a.length ? b : a;
}

/** Appends the pieces that now continue the text; drops those that it already contains. */
function closed(answer: AnswerText): AnswerText {
  let { text, length } = answer;
  const ahead: Piece[] = [];
  for (const piece of [...answer.ahead].sort((a, b) => a.offset - b.offset)) {
    if (piece.offset > length) {
      ahead.push(piece);
      continue;
    }
    const fresh = sliceCodePoints(piece.text, length - piece.offset);
    text += fresh;
    length += codePointLength(fresh);
  }
  return { ...answer, text, length, ahead };
}
