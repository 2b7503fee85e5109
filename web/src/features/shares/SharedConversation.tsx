import { Trans, useLingui } from "@lingui/react/macro";
import { Fragment, useId } from "react";
import { AnswerText } from "@/features/citations/AnswerText";
import { BasisNote } from "@/features/citations/BasisNote";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SharedCitationJson, SharedMessageJson, SharedSessionJson } from "@/gen/echomind/public/v1/session_share_pb";
import { AuthorNote } from "@/ui/AuthorNote";
import { Badge } from "@/ui/Badge";
import { formatTimestamp } from "@/ui/format";
import styles from "./SharedConversation.module.css";

interface SharedConversationProps {
  shared: SharedSessionJson;
  /** Whether the title stands elsewhere already. */
  isWithoutTitle?: boolean;
}

/** What readers of a share see. */
export function SharedConversation({ shared: { title = "", messages = [], sharedAt, sharedBy }, isWithoutTitle = false }: SharedConversationProps) {
  return (
    <article className={styles.article}>
      <header>
        {!isWithoutTitle && <h1 className={styles.title}>{title}</h1>}
        <p className={styles.note}>
          {sharedBy ? (
            <Trans>
              Shared by {sharedBy}, as of {formatTimestamp(sharedAt)}. Answers are made by a model: check what matters.
            </Trans>
          ) : (
            <Trans>Shared conversation, as of {formatTimestamp(sharedAt)}. Answers are made by a model: check what matters.</Trans>
          )}
        </p>
      </header>
      {messages.map((message, index) => (
        // Shared messages have no ids, and their order is fixed.
        <Fragment key={index}>
          {message.role === "MESSAGE_ROLE_USER" ? <SharedQuestion message={message} /> : <SharedAnswer message={message} />}
        </Fragment>
      ))}
    </article>
  );
}

function SharedQuestion({ message: { content = "", authorKind } }: { message: SharedMessageJson }) {
  const { t } = useLingui();
  const isForeign = authorKind === "AUTHOR_KIND_FOREIGN" || authorKind === "AUTHOR_KIND_UNKNOWN";
  return (
    <section className={styles.asked} aria-label={t`Question`}>
      <div className={styles.question}>{content}</div>
      {isForeign && <AuthorNote isCertain={authorKind === "AUTHOR_KIND_FOREIGN"} />}
    </section>
  );
}

const NO_CITATIONS: SharedCitationJson[] = [];

function SharedAnswer({ message: { content = "", status, basis, usedOtherTools = false, citations = NO_CITATIONS } }: { message: SharedMessageJson }) {
  const { t } = useLingui();
  const id = useId();
  const sourceId = (number: number) => `${id}-source-${number}`;
  const show = ({ number = 0 }: CitationJson) => document.getElementById(sourceId(number))?.focus();
  return (
    <section className={styles.answer} aria-label={t`Answer`}>
      <AnswerText content={content} citations={marksOf(citations)} onOpen={show} openHint={t`Click to go to the source below`} />
      {(status === "MESSAGE_STATUS_FAILED" || status === "MESSAGE_STATUS_CANCELLED") && (
        <p className={styles.note}>
          <Trans>This answer was not completed.</Trans>
        </p>
      )}
      <BasisNote basis={basis} tools={usedOtherTools && basis === "ANSWER_BASIS_SOURCES" ? [t`tools besides documents`] : []} />
      {citations.length > 0 && (
        <ul className={styles.sources} aria-label={t`Sources`}>
          {citations.map((citation) => (
            <Source key={citation.number} id={sourceId(citation.number ?? 0)} citation={citation} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Source({ id, citation: { number = 0, title = "", url = "", passages = [] } }: { id: string; citation: SharedCitationJson }) {
  const pages = distinct(passages.map(({ page }) => page ?? 0)).sort((a, b) => a - b);
  const quotes = distinct(passages.map(({ quote = "" }) => quote));
  const unsupported = passages.filter(({ supported }) => !supported).length;
  return (
    <li id={id} className={styles.source} tabIndex={-1}>
      <span className={styles.number}>{number}</span>
      <div>
        {/^https?:/.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer nofollow">
            {title}
          </a>
        ) : (
          title
        )}
        {pages.length > 0 && (
          <span className={styles.pages}>
            {", "}
            {pages.length === 1 ? <Trans>page {pages[0]}</Trans> : <Trans>pages {pages.join(", ")}</Trans>}
          </span>
        )}{" "}
        {unsupported > 0 && (
          <Badge tone="warn">
            {unsupported === passages.length ? <Trans>Not supported by the source</Trans> : <Trans>Partly not supported by the source</Trans>}
          </Badge>
        )}
        {quotes.map((quote) => (
          <blockquote key={quote} className={styles.quote}>
            {quote}
          </blockquote>
        ))}
      </div>
    </li>
  );
}

/** Returns each value that is not empty once, in order. */
function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values.filter(Boolean))];
}

/** Returns the citations as the answer's text shows them. */
function marksOf(citations: readonly SharedCitationJson[]): CitationJson[] {
  return citations.flatMap(({ number = 0, title = "", passages = [] }) =>
    passages.map(({ sentenceStart = 0, sentenceEnd = 0, supported = false, page, quote = "" }) => ({
      number,
      title,
      sentenceStart,
      sentenceEnd,
      supported,
      snippet: quote,
      ...(page !== undefined && { page }),
    })),
  );
}
