import { useQuery } from "@tanstack/react-query";
import { Download, ExternalLink, FileText, X } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { ApiError } from "@/api/http";
import { downloadUrl } from "@/api/routes";
import { chunksQuery, documentQuery } from "@/data/documents";
import { titleOf } from "@/features/citations/citations";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { Badge } from "@/ui/Badge";
import { IconButton } from "@/ui/Button";
import { DocumentText } from "./text/DocumentText";
import { SnippetOnly } from "./text/SnippetOnly";
import styles from "./SourcePanel.module.css";

/** How much text is shown around the cited words at first, in code points. */
const AROUND = 1500;

/** A cited passage in its document. */
export function SourcePanel({ citation, onClose }: { citation: CitationJson; onClose: () => void }) {
  const { documentId = "", page, supported, chunkId, spanStart = 0, spanEnd = 0 } = citation;
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  const document = useQuery({ ...documentQuery(documentId), enabled: documentId !== "" });
  const { data: chunks = [] } = useQuery({ ...chunksQuery(documentId), enabled: documentId !== "" });
  const heading = chunks.find((chunk) => chunk.id === chunkId)?.heading ?? [];
  const originalUrl = document.data?.originalUrl ?? "";
  // A layout effect, because its cleanup must see the focus before the panel is removed.
  useLayoutEffect(() => {
    const element = panel.current;
    const opener = window.document.activeElement;
    element?.focus();
    return () => {
      if (opener instanceof HTMLElement && element?.contains(window.document.activeElement)) opener.focus();
    };
  }, [citation]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [onClose]);
  return (
    <aside
      ref={panel}
      className={styles.panel}
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      <header className={styles.header}>
        <div className={styles.heading}>
          <h2 id={titleId} className={styles.title}>
            <span className={styles.number}>{citation.number}</span>
            {titleOf(citation)}
          </h2>
          <p className={styles.place}>{[...heading, page ? `page ${page}` : ""].filter(Boolean).join(" › ")}</p>
          {!supported && <Badge tone="warn">Does not support the sentence that cites it</Badge>}
        </div>
        <IconButton label="Close the source" onClick={onClose}>
          <X size={18} />
        </IconButton>
      </header>
      <div className={styles.body}>
        {documentId === "" || isGone(document.error) ? (
          <SnippetOnly citation={citation} reason="The document was removed, or you may not read it." />
        ) : (
          <DocumentText
            key={`${chunkId ?? ""}:${spanStart}`}
            id={documentId}
            from={Math.max(0, spanStart - AROUND)}
            to={spanEnd + AROUND}
            span={{ start: spanStart, end: spanEnd }}
            expectedVersion={citation.chunkingSession}
            whenChanged={<SnippetOnly citation={citation} reason="The document has changed since this answer was written." />}
          />
        )}
      </div>
      {document.data && (
        <footer className={styles.links}>
          <Link href={`/documents/${documentId}`}>
            <FileText size={14} aria-hidden /> Full text
          </Link>
          <a href={downloadUrl(documentId)} download>
            <Download size={14} aria-hidden /> Download
          </a>
          {/^https?:/.test(originalUrl) && (
            <a href={originalUrl} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={14} aria-hidden /> Open at its source
            </a>
          )}
        </footer>
      )}
    </aside>
  );
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
