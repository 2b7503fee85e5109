/** GitHub's extensions of Markdown, for reading alone: what writes Markdown would be half as large as the parser. */
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** What a parser of Markdown is extended by. */
interface Extensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/** Adds tables, task lists, footnotes, bare addresses and, between two tildes, strikethrough. */
export function remarkGfm(this: { data: () => object }): void {
  const data: Extensions = this.data();
  (data.micromarkExtensions ??= []).push(gfm({ singleTilde: false }));
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
}
