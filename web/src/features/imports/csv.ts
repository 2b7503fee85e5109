/** Tables as text. */

/** A row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of CSV (RFC 4180) by the names in its first line. */
export function rowsOf(text: string): Row[] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [, quoted, bare = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/g)) {
    line.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (line.length > 1 || line[0]) lines.push(line);
    line = [];
  }
  const [names = [], ...rest] = lines;
  return rest.map((values) => Object.fromEntries(names.map((column, place) => [column, values[place] ?? ""])));
}
