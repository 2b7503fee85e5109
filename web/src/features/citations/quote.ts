/** Finds words of the extracted text in the displayed source: in the text of a page or of elements. */

/** A position in a list of texts: the index of the text, and the offset in it in code units. */
export interface Place {
  item: number;
  offset: number;
}

/** Only letters and digits are compared: line ends, hyphens, ligatures and Markdown syntax differ between extractors.
*/
const COUNTS = /[\p{L}\p{N}]/u;

/** Fewer letters would match anywhere. */
const SHORTEST = 12;

/** The same for the cells of a row, which stand beside each other. */
const SHORTEST_ROW = 6;

/** The name of a column before a cell of a row. */
const NAME = /^[-*\s]*([^:;]{1,80}): /;

interface Normalized {
  text: string;
  /** The origin of each code unit of `text`. */
  places: Place[];
}

function normalize(items: readonly string[]): Normalized {
  const kept: string[] = [];
  const places: Place[] = [];
  for (const [item, text] of items.entries()) {
    let offset = 0;
    for (const character of text) {
      for (const part of character.normalize("NFKC").toLowerCase()) {
        if (!COUNTS.test(part)) continue;
        kept.push(part);
        for (let unit = 0; unit < part.length; unit += 1) places.push({ item, offset });
      }
      offset += character.length;
    }
  }
  return { text: kept.join(""), places };
}

/**
 * Finds a quote in consecutive texts; a quote that extends beyond them is found if at least half of it is in them.
 *
 * @returns Its first and last character, or undefined if it is not found.
 */
export function findQuote(items: readonly string[], quote: string): [Place, Place] | undefined {
  const page = normalize(items);
  const wanted = normalize([quote]).text;
  if (wanted.length < SHORTEST) return undefined;
  const length = longest(wanted.length, (size) => page.text.includes(wanted.slice(0, size)));
  const fromEnd = longest(wanted.length, (size) => page.text.includes(wanted.slice(-size)));
  const found = length >= fromEnd ? wanted.slice(0, length) : wanted.slice(-fromEnd);
  if (found.length < Math.max(SHORTEST, wanted.length / 2)) return undefined;
  const start = page.text.indexOf(found);
  const [first, last] = [page.places[start], page.places[start + found.length - 1]];
  return first && last && [first, last];
}

/**
 * Finds a quote as `findQuote`; or the cells of rows of a table, without the names of their columns, which the extracted
 * text repeats in each row.
 */
export function findQuoteOrRow(items: readonly string[], quote: string): [Place, Place] | undefined {
  return findQuote(items, quote) ?? findRow(items, quote);
}

function findRow(items: readonly string[], quote: string): [Place, Place] | undefined {
  const names = quote.split(/;\s/).map((cell) => NAME.exec(cell)?.[1] ?? "").filter(Boolean);
  if (names.length < 2) return undefined;
  // The longest first, as one may end with another.
  names.sort((one, other) => other.length - one.length);
  const cells = normalize([names.reduce((rest, name) => rest.replaceAll(`${name}: `, " "), quote)]).text;
  const page = normalize(items);
  const start = page.text.indexOf(cells);
  if (cells.length < SHORTEST_ROW || start < 0) return undefined;
  const [first, last] = [page.places[start], page.places[start + cells.length - 1]];
  return first && last && [first, last];
}

/** The largest number up to `most` for which something holds that holds for every smaller one. */
function longest(limit: number, holds: (size: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
