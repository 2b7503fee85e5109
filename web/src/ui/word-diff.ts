/** Word-by-word differences between two texts. */

/** A part that both texts have, or only one of them. */
export interface Part {
  text: string;
  in: "both" | "first" | "second";
}

/** Maximum words to compare, because the time is quadratic; the rest is not compared. */
const LIMIT = 3000;

/** The parts of two texts in order, by a longest common sequence of words with the space behind them. */
export function wordDiff(first: string, second: string): readonly Part[] {
  const a = words(first);
  const b = words(second);
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = common[i] as Uint16Array;
    for (let j = b.length - 1; j >= 0; j -= 1) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const parts: Part[] = [];
  const add = (text: string, where: Part["in"]) => {
    const last = parts.at(-1);
    if (last?.in === where) last.text += text;
    else parts.push({ text, in: where });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(a[i] ?? "", "both");
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      add(a[i] ?? "", "first");
      i += 1;
    } else {
      add(b[j] ?? "", "second");
      j += 1;
    }
  }
  return parts;
}

function words(text: string): string[] {
  return (text.match(/\S+\s*|\s+/g) ?? []).slice(0, LIMIT);
}
