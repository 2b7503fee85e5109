/** Lists and secrets as texts with a line for each; blank lines count for nothing. */

/** Returns the lines of a text. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Returns a text with a line for each. */
export function textOfLines(lines: readonly string[] | undefined): string {
  return (lines ?? []).join("\n");
}

/** Returns values by name from lines such as `NAME=value`; a line without the separator is a name. */
export function secretsOf(text: string, separator: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(separator);
      return at < 0 ? [line, ""] : [line.slice(0, at).trimEnd(), line.slice(at + separator.length).trimStart()];
    }),
  );
}

/** Returns lines of values by name. */
export function textOfSecrets(values: Readonly<Record<string, string>> | undefined, separator: string): string {
  return Object.entries(values ?? {})
    .map(([name, value]) => `${name}${separator}${value}`)
    .join("\n");
}
