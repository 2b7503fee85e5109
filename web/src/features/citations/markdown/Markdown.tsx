import { useLingui } from "@lingui/react/macro";
import { createContext, isValidElement, memo, use, useEffect, useMemo, useState, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import { Link } from "wouter";
import { codePointLength } from "@/api/code-points";
import { isDownload } from "@/api/routes";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { KnowledgeEntityJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { lazyPart } from "@/ui/lazy-part";
import { citationAt } from "../citations";
import { blocksOf } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { OutsideLink } from "./OutsideLink";
import { PlainWhenFailed } from "./PlainWhenFailed";
import { hasMath, remarkPlainDollars, withDollars } from "./dollars";
import { remarkCitations, type CitationAttributes } from "./remark-citations";
import { remarkGfm } from "./remark-gfm";
import chipStyles from "./CitationChip.module.css";
import styles from "./Markdown.module.css";

/** A text and its citations. */
export interface MarkdownProps {
  content: string;
  citations: readonly CitationJson[];
  /** The entities of knowledge that it may name; others stay text. */
  knowledge?: readonly KnowledgeEntityJson[] | undefined;
  /** Opens a source; left out while the answer is being written. */
  onOpen?: ((citation: CitationJson) => void) | undefined;
  /** What opening a source does; by default, that it opens the document. */
  openHint?: string | undefined;
}

type Plugins = NonNullable<Options["remarkPlugins"]>;

interface BlockProps extends Omit<MarkdownProps, "content"> {
  text: string;
  /** Number of code points before it. */
  before: number;
  plugins: Plugins;
  /** Whether it is complete. */
  isWhole: boolean;
}

const NO_KNOWLEDGE: KnowledgeEntityJson[] = [];
const NO_BLOCK: BlockProps = { text: "", before: 0, citations: [], plugins: [], isWhole: true };
const Around = createContext<BlockProps>(NO_BLOCK);
/** Whether it is in the text of a link: an image there is no link of its own. */
const InLink = createContext(false);
// What shows their passages is large, and many answers have none.
const CitationChip = lazyPart(async () => (await import("./CitationChip")).CitationChip, { whenFailed: "fallback" });
const KnowledgeChip = lazyPart(async () => (await import("./KnowledgeChip")).KnowledgeChip, { whenFailed: "fallback" });
const Diagram = lazyPart(async () => (await import("./Diagram")).default, { whenFailed: "fallback" });
const MathText = lazyPart(async () => (await import("./MathText")).default, { whenFailed: "fallback" });

/** Renderers of elements. One object for all texts: a new one would render every element again with each delta. */
export const COMPONENTS: Components = { a: SafeLink, img: Image, pre: Pre, code: Code, table: Table, input: Task, cite: Citation };

/** An answer's text. HTML in it is shown as it is written, images from elsewhere are links: nothing is loaded or run. */
export const Markdown = memo(function Markdown({ content, citations, knowledge = NO_KNOWLEDGE, onOpen, openHint }: MarkdownProps) {
  const math = useMathPlugin(hasMath(content));
  const plugins = useMemo<Plugins>(() => {
    const known = new Set([...citations.map(({ number = 0 }) => String(number)), ...knowledge.map(({ id = "" }) => `K${id}`)]);
    return [remarkGfm, ...math, [remarkCitations, { known }]];
  }, [citations, knowledge, math]);
  const text = math.length > 0 ? withDollars(content) : content;
  const blocks = blocksOf(text);
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => {
        const isWhole = onOpen !== undefined || index < blocks.length - 1;
        return (
          <MarkdownBlock
            key={block.start}
            text={block.text}
            before={block.before}
            citations={citations}
            knowledge={knowledge}
            onOpen={onOpen}
            openHint={openHint}
            plugins={plugins}
            isWhole={isWhole}
          />
        );
      })}
    </div>
  );
});

const MarkdownBlock = memo(function MarkdownBlock(block: BlockProps) {
  return (
    <Around value={block}>
      <PlainWhenFailed text={block.text}>
        <ReactMarkdown remarkPlugins={block.plugins} components={COMPONENTS}>
          {block.text}
        </ReactMarkdown>
      </PlainWhenFailed>
    </Around>
  );
});

let mathPlugin: Plugins = [];
const NO_PLUGIN: Plugins = [];

/** The plugin for math, loaded when a text first has some. */
export function useMathPlugin(isNeeded: boolean): Plugins {
  const [plugin, setPlugin] = useState(mathPlugin);
  useEffect(() => {
    if (!isNeeded || mathPlugin.length > 0) return undefined;
    let isUnmounted = false;
    void import("remark-math").then(({ default: remarkMath }) => {
      mathPlugin = [remarkMath, remarkPlainDollars];
      if (!isUnmounted) setPlugin(mathPlugin);
    });
    return () => {
      isUnmounted = true;
    };
  }, [isNeeded]);
  return isNeeded ? plugin : NO_PLUGIN;
}

function Citation({ children, ...rest }: ComponentProps<"cite"> & Partial<CitationAttributes>) {
  const { text, before, citations, knowledge, onOpen, openHint } = use(Around);
  const name = rest["data-name"] ?? "";
  const entity = knowledge?.find(({ id }) => name === `K${id ?? ""}`);
  if (entity) return <KnowledgeChip entity={entity} fallback={<PlainChip>{name}</PlainChip>} />;
  const place = before + codePointLength(text.slice(0, Number(rest["data-offset"])));
  const citation = citationAt(citations, Number(name), place);
  return citation ? <CitationChip citation={citation} onOpen={onOpen} openHint={openHint} fallback={<PlainChip>{name}</PlainChip>} /> : children;
}

/** A chip in its size, before what it does is loaded. */
function PlainChip({ children }: { children: ReactNode }) {
  return <span className={chipStyles.chip} data-state="closed">{children}</span>;
}

/** A link within the product. */
export function InnerLink({ href, children }: { href: string; children?: ReactNode }) {
  const isInLink = use(InLink);
  if (isInLink) return children;
  return (
    <Link href={href}>
      <InLink value>{children}</InLink>
    </Link>
  );
}

export function SafeLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const around = use(Around);
  const isInLink = use(InLink);
  // `http://HOST:PORT/` is a link to a reader of Markdown, but no address.
  if (!href || isInLink || !URL.canParse(href, location.href)) return children;
  const text = <InLink value>{children}</InLink>;
  if (around !== NO_BLOCK && isOutside(href) && !showsAddress(children, href) && !around.citations.some(({ url }) => url === href)) {
    return <OutsideLink href={href}>{text}</OutsideLink>;
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

/** Whether an address is a page of another site. */
function isOutside(href: string): boolean {
  const { protocol, host } = new URL(href, location.href);
  return /^https?:$/.test(protocol) && host !== location.host;
}

/** Whether a link's text is its whole address. */
function showsAddress(children: ReactNode, href: string): boolean {
  const text = textOf(children);
  return [text, `https://${text}`, `http://${text}`].includes(href);
}

/**
 * An image of a stored document; other images are links that name their host, so that nothing is loaded from other
 * sites.
 */
function Image({ src, alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const { t } = useLingui();
  const [hasFailed, setFailed] = useState(false);
  const address = typeof src === "string" && URL.canParse(src, location.href) ? src : undefined;
  if (address && isDownload(address) && !hasFailed) {
    return <img className={styles.image} src={address} alt={alt ?? ""} loading="lazy" onError={() => setFailed(true)} />;
  }
  const host = address && new URL(address, location.href).host;
  return (
    <SafeLink href={address}>
      {alt || t`Image`}
      {host && host !== location.host && ` (${host})`}
    </SafeLink>
  );
}

function Pre({ children }: { children?: ReactNode }) {
  const { isWhole } = use(Around);
  const { className = "", children: code } = isValidElement<CodeProps>(children) ? children.props : {};
  const text = textOf(code).replace(/\n$/, "");
  if (className.includes("math-display")) return <MathOf tex={text} isDisplay />;
  if (isWhole && className === "language-mermaid") {
    return <Diagram code={text} fallback={<CodeBlock language="mermaid" code={text} isWhole={false} />} />;
  }
  return <CodeBlock language={/language-(\S+)/.exec(className)?.[1] ?? ""} code={text} isWhole={isWhole} />;
}

interface CodeProps {
  className?: string | undefined;
  children?: ReactNode;
}

function Code({ className = "", children }: CodeProps) {
  if (className.includes("math-inline")) return <MathOf tex={textOf(children)} isDisplay={false} />;
  return <code>{children}</code>;
}

function MathOf({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  return <MathText tex={tex} isDisplay={isDisplay} fallback={<code className={isDisplay ? styles.display : undefined}>{tex}</code>} />;
}

/** A read-only item of a task list. */
function Task({ checked = false }: { checked?: boolean | undefined }) {
  const { t } = useLingui();
  return (
    <span role="img" className={styles.task} aria-label={checked ? t`Done` : t`Not done`}>
      {checked ? "☑" : "☐"}
    </span>
  );
}

function textOf(children: ReactNode): string {
  return [children].flat().filter((child) => typeof child === "string").join("");
}

function Table({ children }: { children?: ReactNode }) {
  const { t } = useLingui();
  return (
    // A wide table scrolls, so it must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.table} tabIndex={0} role="group" aria-label={t`Table`}>
      <table>{children}</table>
    </div>
  );
}
