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

/** Asks what was wrong with an answer: reasons to choose from, and room for words. */
export function FeedbackComment({ onSend, onClose }: { onSend: (text: string) => void; onClose: () => void }) {
  const { t } = useLingui();
  const [reason, setReason] = useState("");
  const [text, setText] = useState("");
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
          <Trans>Skip</Trans>
        </Button>
      </div>
    </form>
  );
}
