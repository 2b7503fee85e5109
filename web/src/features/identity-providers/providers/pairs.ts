/** Pairs of names as lines of text, `theirs=ours`. */

/** Returns the pairs of a text; lines without an equals sign have an empty value, which the server refuses. */
export function pairsOf(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const end = line.lastIndexOf("=");
      return end < 0 ? [line, ""] : [line.slice(0, end).trim(), line.slice(end + 1).trim()];
    }),
  );
}

/** Returns pairs as text. */
export function textOf(pairs: Readonly<Record<string, string>> = {}): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
