/** The front matter of a text: the headers of an e-mail, or the metadata of a Markdown file. */

/** A name and its value. */
export type Property = readonly [name: string, value: string];

const FRONT_MATTER = /^---\n((?:.*\n){1,200}?)---(?:\n|$)/;

/** Parts front matter from the text below it. Lines that are not `name: value` belong to the value before them. */
export function splitFrontMatter(text: string): { properties: Property[]; body: string } {
  const match = FRONT_MATTER.exec(text);
  const lines = match?.[1]?.split("\n").filter((line) => line.trim()) ?? [];
  const properties: [string, string][] = [];
  for (const line of lines) {
    const [, name, value = ""] = /^([\p{L}][\p{L}\p{N}_ -]{0,60}):(?:\s+(.*))?$/u.exec(line) ?? [];
    const last = properties.at(-1);
    if (name) properties.push([name, unquoted(value)]);
    else if (last) last[1] = [last[1], line.trim().replace(/^- /, "")].filter(Boolean).join(", ");
    // The text between the rules is not front matter.
    else return { properties: [], body: text };
  }
  if (!match || properties.length === 0) return { properties: [], body: text };
  return { properties: properties.filter(([, value]) => value), body: text.slice(match[0].length) };
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])([^"']*)\1$/, "$2");
}
