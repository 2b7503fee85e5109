import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import { Button } from "@/ui/Button";
import styles from "./AnswerActions.module.css";

const REASONS = [
  msg`Not correct`,
  msg`The sources do not support it`,
  msg`Incomplete`,
  msg`It did not answer the question`,
];

interface FeedbackCommentProps {
  /** What the reader wrote before; empty for nothing. */
  given: string;
  onSend: (text: string) => void;
  onClose: () => void;
}

/** Asks what was wrong with an answer: reasons to choose from, and room for details. */
export function FeedbackComment({ given, onSend, onClose }: FeedbackCommentProps) {
  const { t } = useLingui();
  const chosen = REASONS.map((one) => t(one)).find((one) => given === one || given.startsWith(`${one}: `)) ?? "";
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
      <fieldset className={styles.reasons}>
        <legend>
          <Trans>What was wrong?</Trans>
        </legend>
        {REASONS.map((one) => (
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
      <label htmlFor={id}>
        <Trans>Details (optional)</Trans>
      </label>
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

/** What the reader found wrong with an answer, and the way to change it. */
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
