/** The API counts text in Unicode code points, JavaScript in UTF-16 code units: the same below U+10000, not above. */

/** Returns the number of code points of a text. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += unitsAt(text, index)) length += 1;
  return length;
}

/** The code unit at which a code point begins; the text's end when it has fewer. */
export function codeUnitOffset(text: string, codePoints: number): number {
  let index = 0;
  for (let seen = 0; seen < codePoints && index < text.length; seen += 1) index += unitsAt(text, index);
  return index;
}

/** The part of a text between two code points, `end` exclusive. */
export function sliceCodePoints(text: string, start: number, end?: number): string {
  const from = codeUnitOffset(text, start);
  if (end === undefined) return text.slice(from);
  return text.slice(from, from + codeUnitOffset(text.slice(from), Math.max(0, end - start)));
}

function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
