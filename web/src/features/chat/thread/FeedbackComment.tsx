import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import { Button } from "@/ui/Button";
import styles from "./AnswerActions.module.css";

/** Reasons for a bad rating. */
export const ANSWER_REASONS: readonly MessageDescriptor[] = [
  msg`Not correct`,
  msg`The sources do not support it`,
  msg`Incomplete`,
  msg`It did not answer the question`,
];
/** Problems of a source. */
export const SOURCE_REASONS: readonly MessageDescriptor[] = [
  msg`Not about my question`,
  msg`Outdated`,
  msg`It does not say that`,
];

interface FeedbackCommentProps {
  /** Whether the rating is positive: then there is only a comment. */
  isHelpful: boolean;
  /** Possible problems. */
  reasons: readonly MessageDescriptor[];
  /** The reader's earlier comment; empty for none. */
  given: string;
  onSend: (text: string) => void;
  onClose: () => void;
}

/** Asks for the reason of a rating: for a negative one with reasons to choose from, and details. */
export function FeedbackComment({ isHelpful, reasons, given, onSend, onClose }: FeedbackCommentProps) {
  const { t } = useLingui();
  const chosen = reasons.map((one) => t(one)).find((one) => given === one || given.startsWith(`${one}: `)) ?? "";
  const [reason, setReason] = useState(chosen);
  const [text, setText] = useState(chosen ? given.slice(chosen.length + 2) : given);
  const id = useId();
  const words = [reason, text.trim()].filter(Boolean).join(": ");
  return (
    <form
      className={styles.comment}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(words);
      }}
    >
      {!isHelpful && (
        <fieldset className={styles.reasons}>
          <legend>
            <Trans>What was wrong?</Trans>
          </legend>
          {reasons.map((one) => (
            <button
              key={one.id}
              type="button"
              className={styles.reason}
              aria-pressed={reason === t(one)}
              onClick={() => setReason(reason === t(one) ? "" : t(one))}
            >
              {t(one)}
            </button>
          ))}
        </fieldset>
      )}
      <label htmlFor={id}>{isHelpful ? <Trans>What was helpful?</Trans> : <Trans>Details (optional)</Trans>}</label>
      <textarea id={id} rows={2} maxLength={9_000} value={text} onChange={(event) => setText(event.target.value)} />
      <div className={styles.row}>
        <Button type="submit" size="sm" variant="primary" disabled={!words}>
          <Trans>Send</Trans>
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          {given ? <Trans>Cancel</Trans> : <Trans>Skip</Trans>}
        </Button>
      </div>
    </form>
  );
}

/** The reader's comment on an answer or a source, with a form to change it. */
export function FeedbackNote({ text, onEdit }: { text: string; onEdit: () => void }) {
  return (
    <p className={styles.feedback}>
      {text && (
        <span>
          <Trans>Your feedback: {text}</Trans>
        </span>
      )}
      <Button size="sm" variant="ghost" onClick={onEdit}>
        {text ? <Trans>Edit feedback</Trans> : <Trans>Add a reason</Trans>}
      </Button>
    </p>
  );
}
