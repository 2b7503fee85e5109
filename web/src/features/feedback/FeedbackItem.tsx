import { Trans, useLingui } from "@lingui/react/macro";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import { Link } from "wouter";
import type { ListedFeedbackJson } from "@/gen/echomind/public/v1/feedback_service_pb";
import { Moment } from "@/ui/Moment";
import styles from "./FeedbackPage.module.css";

/** A rating with the question, and the answer or the source that it is about. */
export function FeedbackItem({ item }: { item: ListedFeedbackJson }) {
  const { t } = useLingui();
  const { feedback = {}, userName, question, answer, chatSessionId, messageId, assistantName, llmName, chunkId, documentTitle = "", snippet } = item;
  const { isPositive = false, feedbackText, creationDate } = feedback;
  const Icon = isPositive ? ThumbsUp : ThumbsDown;
  return (
    <li className={styles.item}>
      <p className={styles.rating} data-positive={isPositive}>
        <Icon size={15} aria-hidden />
        {chunkId ? (isPositive ? t`Helpful source` : t`Source not helpful`) : isPositive ? t`Helpful` : t`Not helpful`}
        <span className={styles.facts}>
          {[userName, assistantName, llmName].filter(Boolean).join(" · ")}
          {" · "}
          <Moment at={creationDate} />
        </span>
      </p>
      {feedbackText && <blockquote className={styles.reason}>{feedbackText}</blockquote>}
      <p className={styles.question}>{question}</p>
      {chunkId ? (
        <p className={styles.passage}>
          <Link href={`/documents/${item.documentId ?? ""}`}>{documentTitle}</Link>
          {snippet && <> · {snippet}</>}
        </p>
      ) : (
        <p className={styles.answer}>{answer || t`The answer is empty.`}</p>
      )}
      <Link href={`/chat/${chatSessionId}?msg=${messageId}`}>
        <Trans>Open the conversation</Trans>
      </Link>
    </li>
  );
}
