import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { fileNameOf, hostOf, sourcesOf, titleOf, type CitedSource } from "@/features/citations/citations";
import type { ChatMessageJson, CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { Badge } from "@/ui/Badge";
import { SourceRating } from "./SourceRating";
import styles from "./SourceList.module.css";

interface SourceListProps {
  citations: readonly CitationJson[];
  /** The answer, whose sources the reader may rate; left out while it is being written. */
  message?: ChatMessageJson | undefined;
  onOpen: (citation: CitationJson) => void;
}

/** The numbered sources of an answer. */
export function SourceList({ citations, message, onOpen }: SourceListProps) {
  const sources = sourcesOf(citations);
  if (sources.length === 0) return null;
  return (
    <div role="group" aria-label={t`Sources`}>
      <h2 className={styles.heading}><Plural value={sources.length} one="# source" other="# sources" /></h2>
      <ol className={styles.list}>
        {sources.map((source) => (
          <li key={source.number}>
            <button type="button" className={styles.source} onClick={() => onOpen(source.first)}>
              <span className={styles.number}>{source.number}</span>
              <span className={styles.body}>
                <span className={styles.title}>{titleOf(source.first)}</span>
                {fileNameOf(source.first) && <span className={styles.page}>{fileNameOf(source.first)}</span>}
                {source.first.url && <span className={styles.page}>{hostOf(source.first)}</span>}
                {source.first.page && <span className={styles.page}><Trans>page {source.first.page}</Trans></span>}
                {source.first.snippet && <span className={styles.snippet}>{source.first.snippet}</span>}
                {source.unsupported > 0 && <Badge tone="warn">{unsupportedText(source)}</Badge>}
              </span>
            </button>
            {message && isReadable(source.first) && <SourceRating message={message} citation={source.first} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Whether a source can be rated: removed and hidden ones cannot. */
function isReadable({ documentId, chunkId, snippet }: CitationJson): boolean {
  return Boolean(documentId && chunkId && snippet);
}

function unsupportedText({ uses, unsupported }: CitedSource): string {
  if (uses === 1) return t`Does not support the sentence`;
  return t`Does not support ${unsupported} of ${uses} sentences`;
}
