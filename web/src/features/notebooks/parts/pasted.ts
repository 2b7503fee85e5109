/** What was dropped or pasted as a source of a notebook: addresses of pages, or a text. */
import type { DroppedFile } from "@/features/documents/DocumentUpload";

const ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/u;
/** Characters that a name in a path cannot have on every system, and control characters. */
// eslint-disable-next-line no-control-regex
const UNUSABLE = /[\u0000-\u001f\u007f"*/:<>?\\|]+/gu;
const NAME_LENGTH = 80;

/** The addresses in a text of nothing else, without comments of a `text/uri-list`; none if there is another text. */
export function addressesIn(text: string): string[] {
  const lines = text.split(/\r?\n/u).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  return lines.every((line) => ADDRESS.test(line)) ? [...new Set(lines)] : [];
}

/** A text as a file, named by its title or its first words. */
export function fileOf(text: string, title: string): DroppedFile {
  const name = `${usable(title) || usable(text.trim().split("\n", 1)[0] ?? "") || "text"}.md`;
  const content = title.trim() ? `# ${title.trim()}\n\n${text}` : text;
  return { file: new File([content], name, { type: "text/markdown" }), path: name };
}

/** The folder of a notebook's files. */
export function folderOf(title: string): string {
  return usable(title) || "notebook";
}

function usable(name: string): string {
  return name.replaceAll(UNUSABLE, " ").replaceAll(/\s+/gu, " ").replace(/^[#.\s]+/u, "").slice(0, NAME_LENGTH).replace(/[.\s]+$/u, "");
}
