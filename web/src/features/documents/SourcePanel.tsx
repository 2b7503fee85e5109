import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Download, ExternalLink, FileText, X } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { ApiError } from "@/api/http";
import { downloadUrl } from "@/api/routes";
import { chunksQuery, documentQuery } from "@/data/documents";
import { hostOf, titleOf } from "@/features/citations/citations";
import { sectionAt } from "./text/sections";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { Badge } from "@/ui/Badge";
import { Button, IconButton } from "@/ui/Button";
import { takeFocus } from "@/ui/focus";
import { DocumentText, type Span } from "./text/DocumentText";
import { SnippetOnly } from "./text/SnippetOnly";
import { Original } from "./view/Original";
import { PanelEdge, usePanelWidth } from "./view/PanelEdge";
import styles from "./SourcePanel.module.css";

/** Text shown around the cited words at first, in code points. */
const AROUND = 1500;

interface SourcePanelProps {
  citation: CitationJson;
  onClose: () => void;
  /** Shows the citation before or after it; left out where there is none. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
}

/** A cited passage in its document, as that is, or as the text that was extracted of it. */
export function SourcePanel({ citation, onClose, onPrevious, onNext }: SourcePanelProps) {
  const { t } = useLingui();
  const { documentId = "", page, supported, chunkId, snippet = "", chunkingSession, url = "" } = citation;
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  const [width, setWidth] = usePanelWidth();
  const [asText, setAsText] = useState(false);
  const document = useQuery({ ...documentQuery(documentId), enabled: documentId !== "" });
  const { data: chunks = [] } = useQuery({ ...chunksQuery(documentId), enabled: documentId !== "" });
  const heading = sectionAt(chunks, chunkId, citation.spanStart);
  const originalUrl = document.data?.originalUrl ?? "";
  const hasText = document.data !== undefined && document.data.contentType !== "text/plain";
  const hasChanged = document.data !== undefined && chunkingSession !== undefined && document.data.chunkingSession !== chunkingSession;
  useFocusWhileOpen(panel);
  useKeys({ Escape: onClose, n: onNext, p: onPrevious });
  return (
    <aside ref={panel} className={styles.panel} aria-labelledby={titleId} tabIndex={-1} style={{ "--panel-width": `${width}rem` } as React.CSSProperties}>
      <PanelEdge width={width} onChange={setWidth} />
      <header className={styles.header}>
        <div className={styles.heading}>
          <h2 id={titleId} className={styles.title}>
            <span className={styles.number}>{citation.number}</span>
            {titleOf(citation)}
          </h2>
          <p className={styles.file}>{document.data?.fileName ?? hostOf(citation)}</p>
          <p className={styles.place}>{[...heading, page ? t`page ${page}` : ""].filter(Boolean).join(" › ")}</p>
          {!supported && <Badge tone="warn">{t`Does not support the sentence that cites it`}</Badge>}
          {citation.verified && <Badge tone="neutral">{t`Compared by a model, too`}</Badge>}
        </div>
        <div className={styles.buttons}>
          <IconButton label={t`Previous citation (p)`} disabled={!onPrevious} onClick={() => onPrevious?.()}>
            <ChevronLeft size={18} />
          </IconButton>
          <IconButton label={t`Next citation (n)`} disabled={!onNext} onClick={() => onNext?.()}>
            <ChevronRight size={18} />
          </IconButton>
          <IconButton label={t`Close the source`} onClick={onClose}>
            <X size={18} />
          </IconButton>
        </div>
      </header>
      <div className={styles.body}>
        {hasText && (
          <Button size="sm" variant="ghost" onClick={() => setAsText(!asText)}>
            {asText ? t`Show the original` : t`Show as text`}
          </Button>
        )}
        {url ? (
          <SnippetOnly citation={citation} tone="info" reason={t`A web page, which may have changed since it was read for this answer.`} />
        ) : documentId === "" || isGone(document.error) ? (
          <SnippetOnly citation={citation} reason={t`The document was removed, or you may not read it.`} />
        ) : asText || !document.data ? (
          <CitedText citation={citation} />
        ) : (
          <>
            {hasChanged && <SnippetOnly citation={citation} reason={t`The document has changed since this answer was written.`} />}
            <Original key={placeOf(citation)} document={document.data} page={page ?? 1} quote={snippet} span={hasChanged ? undefined : spanOf(citation)} />
          </>
        )}
      </div>
      {/^https?:/.test(url) && (
        <footer className={styles.links}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow">
            <ExternalLink size={14} aria-hidden /> {t`Open web page`}
          </a>
        </footer>
      )}
      {document.data && (
        <footer className={styles.links}>
          <Link href={`/documents/${documentId}`}>
            <FileText size={14} aria-hidden /> {t`Open document`}
          </Link>
          <a href={downloadUrl(documentId)} download>
            <Download size={14} aria-hidden /> {t`Download`}
          </a>
          {/^https?:/.test(originalUrl) && (
            <a href={originalUrl} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={14} aria-hidden /> {t`Open in the connected system`}
            </a>
          )}
        </footer>
      )}
    </aside>
  );
}

/** The text around a citation, with the cited words marked. */
function CitedText({ citation }: { citation: CitationJson }) {
  const { t } = useLingui();
  const { documentId = "", chunkingSession } = citation;
  const span = spanOf(citation);
  return (
    <DocumentText
      key={placeOf(citation)}
      id={documentId}
      from={Math.max(0, span.start - AROUND)}
      to={span.end + AROUND}
      span={span}
      expectedVersion={chunkingSession}
      whenChanged={<SnippetOnly citation={citation} reason={t`The document has changed since this answer was written.`} />}
    />
  );
}

function spanOf({ spanStart = 0, spanEnd = 0 }: CitationJson): Span {
  return { start: spanStart, end: spanEnd };
}

/** Identifies a citation's position in its document, so that another one is scrolled into view. */
function placeOf({ documentId = "", chunkId = "", spanStart = 0 }: CitationJson): string {
  return `${documentId}:${chunkId}:${spanStart}`;
}

/** Moves the focus to the panel when it opens, by a click or with a reloaded page, and restores it when it closes. */
function useFocusWhileOpen(panel: React.RefObject<HTMLElement | null>): void {
  // A layout effect, because its cleanup must see the focus before the panel is removed.
  useLayoutEffect(() => {
    const element = panel.current;
    const opener = window.document.activeElement;
    takeFocus(element);
    return () => {
      if (opener instanceof HTMLElement && element?.contains(window.document.activeElement)) opener.focus();
    };
  }, [panel]);
}

/** Single keys while the panel is open, but not while something is typed, nor under a dialog, whose keys they are. */
function useKeys(actions: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
      const action = isTyping && event.key !== "Escape" ? undefined : current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
