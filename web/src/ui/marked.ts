/** The parts of a text in order, with the words of a query marked, ignoring case. */
export function marked(text: string, query: string): readonly { part: string; isMarked: boolean }[] {
  const words = [...new Set(query.trim().split(/\s+/).filter(Boolean))].sort((a, b) => b.length - a.length);
  if (words.length === 0) return [{ part: text, isMarked: false }];
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|")})`, "giu");
  return text
    .split(pattern)
    .map((part, index) => ({ part, isMarked: index % 2 === 1 }))
    .filter(({ part }) => part !== "");
}
