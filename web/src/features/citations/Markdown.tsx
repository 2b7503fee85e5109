import { memo, useMemo, useState, type ComponentProps, type ReactNode } from "react";
import { Check, Copy } from "lucide-react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { CitationJson } from "@/gen/echomind/public/v1/run_pb";
import { IconButton } from "@/ui/Button";
import { useCopy } from "@/ui/use-copy";
import { CitationChip } from "./CitationChip";
import { citationAt } from "./citations";
import { remarkCitations, type CitationAttributes } from "./remark-citations";
import styles from "./Markdown.module.css";

interface MarkdownProps {
  content: string;
  citations: readonly CitationJson[];
  onOpen?: ((citation: CitationJson) => void) | undefined;
}

/** An answer's text. HTML in it is shown as it is written, images are shown as links: nothing is loaded or run. */
export const Markdown = memo(function Markdown({ content, citations, onOpen }: MarkdownProps) {
  const remarkPlugins = useMemo<NonNullable<Options["remarkPlugins"]>>(() => {
    const known = new Set(citations.map((citation) => citation.number ?? 0));
    return [[remarkGfm, { singleTilde: false }], [remarkCitations, { known }]];
  }, [citations]);
  const components = useMemo<Components>(() => {
    const cite = (props: ComponentProps<"cite"> & Partial<CitationAttributes>) => {
      const number = Number(props["data-number"]);
      const citation = citationAt(citations, number, content, Number(props["data-offset"]));
      return citation ? <CitationChip citation={citation} onOpen={onOpen} /> : <>[{number}]</>;
    };
    return { a: SafeLink, img: ImageLink, pre: CodeBlock, table: Table, cite };
  }, [citations, content, onOpen]);
  return (
    <div className={styles.markdown}>
      <ReactMarkdown remarkPlugins={remarkPlugins} components={components}>
        {content}
      </ReactMarkdown>
    </div>
  );
});

function SafeLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (!href) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function ImageLink({ src, alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const text = alt || "Image";
  return typeof src === "string" && src ? <SafeLink href={src}>{text}</SafeLink> : <>{text}</>;
}

function CodeBlock({ children }: { children?: ReactNode }) {
  const [element, setElement] = useState<HTMLPreElement | null>(null);
  const [isCopied, copy] = useCopy();
  return (
    <div className={styles.code}>
      {/* A long line scrolls, so the block must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre ref={setElement} tabIndex={0}>
        {children}
      </pre>
      <IconButton label={isCopied ? "Copied" : "Copy code"} className={styles.copy} onClick={() => copy(element?.textContent ?? "")}>
        {isCopied ? <Check size={15} /> : <Copy size={15} />}
      </IconButton>
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
