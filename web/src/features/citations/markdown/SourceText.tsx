import { memo, useLayoutEffect, useMemo, useRef } from "react";
import ReactMarkdown, { type Options } from "react-markdown";
import { COMPONENTS, useMathPlugin } from "./Markdown";
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
}

type Plugins = NonNullable<Options["rehypePlugins"]>;

/** Links of a source that lead nowhere from here, such as to files beside it, are not links. */
const absoluteLink = (url: string) => (/^(?:https?|mailto):/i.test(url) ? url : "");

/** A text of a source, with a quote marked. As in answers, nothing is loaded or run. */
export const SourceText = memo(function SourceText({ content, quote, onMarked }: SourceTextProps) {
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
      <ReactMarkdown remarkPlugins={remark} rehypePlugins={rehype} components={COMPONENTS} urlTransform={absoluteLink}>
        {math.length > 0 ? withDollars(content) : content}
      </ReactMarkdown>
    </div>
  );
});
