/** Links of a text to files beside it. */

/**
 * Returns the path of a document that a relative link leads to, within the same connector.
 *
 * @param from The path of the document that has the link.
 * @param link Its address as it is written; its fragment and query are left out.
 * @returns Empty for an address that is not relative, or cannot be read. What would leave the connector stays in it.
 */
export function linkedFile(from: string, link: string): string {
  if (link === "" || /^(?:[a-z][a-z0-9+.-]*:|\/|#|\?)/i.test(link)) return "";
  try {
    const here = `file:///${from.split("/").map(encodeURIComponent).join("/")}`;
    return decodeURIComponent(new URL(link, here).pathname).replace(/^\//, "");
  } catch {
    return "";
  }
}

/** Whether a Markdown text may link to files beside it. */
export function hasFileLinks(markdown: string): boolean {
  return /\]\((?![a-z][a-z0-9+.-]*:|[/#?])[^)\s]+\)/i.test(markdown);
}
