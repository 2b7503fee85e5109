import { memo, useLayoutEffect, useMemo, useRef, type ComponentProps } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import { COMPONENTS, InnerLink, SafeLink, useMathPlugin } from "./Markdown";
import { hasMath, withDollars } from "./dollars";
import { rehypeHeadings } from "./rehype-headings";
import { rehypeQuote } from "./rehype-quote";
import { remarkGfm } from "./remark-gfm";
import styles from "./Markdown.module.css";

/** A text of a source, and its cited part. */
export interface SourceTextProps {
  /** Markdown. */
  content: string;
  /** The words to mark and to bring into sight; empty for none. */
  quote: string;
  /** Called with whether they were found; not called without a quote. */
  onMarked?: ((isFound: boolean) => void) | undefined;
  /** Returns the id of the document that a link to a file beside it leads to; empty or left out for none. */
  documentOf?: ((link: string) => string) | undefined;
}

type Plugins = NonNullable<Options["rehypePlugins"]>;

const DOCUMENT = "/documents/";

/** Links of a source that lead nowhere from here, such as to files that are no documents, are not links. */
function addressOf(url: string, documentOf: SourceTextProps["documentOf"]): string {
  if (/^(?:https?|mailto):/i.test(url)) return url;
  const id = documentOf?.(url);
  return id ? `${DOCUMENT}${id}` : "";
}

function SourceLink({ href, children }: ComponentProps<"a">) {
  // No source has such an address by itself: `addressOf` leaves it nothing that begins with a slash.
  if (href?.startsWith(DOCUMENT)) return <InnerLink href={href}>{children}</InnerLink>;
  return <SafeLink href={href}>{children}</SafeLink>;
}

const SOURCE_COMPONENTS: Components = { ...COMPONENTS, a: SourceLink };

/** A text of a source, with a quote marked. As in answers, nothing is loaded or run. */
export const SourceText = memo(function SourceText({ content, quote, onMarked, documentOf }: SourceTextProps) {
  const math = useMathPlugin(hasMath(content));
  const remark = useMemo(() => [remarkGfm, ...math], [math]) as Plugins;
  const rehype = useMemo(() => [rehypeHeadings, ...(quote ? [[rehypeQuote, { quote }] as const] : [])] as Plugins, [quote]);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!quote) return;
    const mark = place.current?.querySelector("[data-cited]");
    mark?.scrollIntoView({ block: "center" });
    onMarked?.(Boolean(mark));
  }, [content, quote, onMarked]);
  return (
    <div ref={place} className={styles.markdown}>
      <ReactMarkdown remarkPlugins={remark} rehypePlugins={rehype} components={SOURCE_COMPONENTS} urlTransform={(url) => addressOf(url, documentOf)}>
        {math.length > 0 ? withDollars(content) : content}
      </ReactMarkdown>
    </div>
  );
});
