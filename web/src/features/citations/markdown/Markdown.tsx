import * as Tooltip from "@radix-ui/react-tooltip";
import { createContext, memo, use, useMemo, useRef, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { CopyButton } from "@/ui/CopyButton";
import { citationAt } from "../citations";
import { CitationChip } from "./CitationChip";
import { remarkCitations, type CitationAttributes } from "./remark-citations";
import styles from "./Markdown.module.css";

/** A text and what it cites. */
export interface MarkdownProps {
  content: string;
  citations: readonly CitationJson[];
  /** Opens a source; left out while the answer is being written. */
  onOpen?: ((citation: CitationJson) => void) | undefined;
}

const Answer = createContext<MarkdownProps>({ content: "", citations: [] });

// One object for all answers: a new one would build every element again with each piece of text.
const COMPONENTS: Components = { a: SafeLink, img: ImageLink, pre: CodeBlock, table: Table, cite: Citation };

/** An answer's text. HTML in it is shown as it is written, images are shown as links: nothing is loaded or run. */
export const Markdown = memo(function Markdown(answer: MarkdownProps) {
  const { content, citations } = answer;
  const remarkPlugins = useMemo<NonNullable<Options["remarkPlugins"]>>(() => {
    const known = new Set(citations.map((citation) => citation.number ?? 0));
    return [[remarkGfm, { singleTilde: false }], [remarkCitations, { known }]];
  }, [citations]);
  return (
    <div className={styles.markdown}>
      <Answer value={answer}>
        <Tooltip.Provider delayDuration={150}>
          <ReactMarkdown remarkPlugins={remarkPlugins} components={COMPONENTS}>
            {content}
          </ReactMarkdown>
        </Tooltip.Provider>
      </Answer>
    </div>
  );
});

function Citation({ children, ...rest }: ComponentProps<"cite"> & Partial<CitationAttributes>) {
  const { content, citations, onOpen } = use(Answer);
  const citation = citationAt(citations, Number(rest["data-number"]), content, Number(rest["data-offset"]));
  return citation ? <CitationChip citation={citation} onOpen={onOpen} /> : children;
}

function SafeLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function ImageLink({ src, alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  return <SafeLink href={typeof src === "string" ? src : undefined}>{alt || "Image"}</SafeLink>;
}

function CodeBlock({ children }: { children?: ReactNode }) {
  const ref = useRef<HTMLPreElement>(null);
  return (
    <div className={styles.code}>
      {/* A long line scrolls, so the block must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre ref={ref} tabIndex={0}>
        {children}
      </pre>
      <CopyButton label="Copy code" className={styles.copy} text={() => ref.current?.textContent ?? ""} />
    </div>
  );
}

function Table({ children }: { children?: ReactNode }) {
  return (
    // A wide table scrolls, so it must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.table} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  );
}
