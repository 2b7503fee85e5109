/** A text without its last lines that are not blank; each question of the list that it closes with is one. */
export function withoutLastLines(text: string, count: number): string {
  const lines = text.trimEnd().split("\n");
  for (let left = count; left > 0; left -= 1) {
    lines.pop();
    while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  }
  return count > 0 ? lines.join("\n") : text;
}
