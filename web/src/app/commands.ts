/** Entries of the command palette, and how they are found by name. */

/** Something to open or to do. */
export interface Command {
  /** The kind of thing that it is, as a heading. */
  group: string;
  key: string;
  label: string;
  run: () => void;
}

/** Commands of one kind. */
export interface CommandGroup {
  name: string;
  commands: readonly Command[];
}

const MAX_IN_GROUP = 20;

/**
 * The commands whose labels contain all words of the query, in any order, ignoring case and accents; labels with a word
 * that starts with the query's first word come first.
 */
export function matching(commands: readonly Command[], query: string): readonly CommandGroup[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const found = commands.filter(({ label }) => words.every((word) => plain(label).includes(word)));
  const first = words[0] ?? "";
  const rank = ({ label }: Command) => (plain(label).split(/[\s›:]+/).some((word) => word.startsWith(first)) ? 0 : 1);
  const sorted = found.toSorted((a, b) => rank(a) - rank(b));
  return grouped(sorted);
}

/** Groups with further commands behind their own; one that is there already, by its key, is not repeated. */
export function joined(groups: readonly CommandGroup[], further: readonly Command[]): readonly CommandGroup[] {
  const known = groups.flatMap(({ commands }) => commands);
  const keys = new Set(known.map(({ key }) => key));
  return grouped([...known, ...further.filter(({ key }) => !keys.has(key))]);
}

function grouped(commands: readonly Command[]): readonly CommandGroup[] {
  const names = [...new Set(commands.map(({ group }) => group))];
  return names.map((name) => ({ name, commands: commands.filter(({ group }) => group === name).slice(0, MAX_IN_GROUP) }));
}

/** Lower case without accents, so that `uber` finds `Über`. */
function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
