import { Trans } from "@lingui/react/macro";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import { useCurrentUser } from "@/data/users";
import { isSending } from "@/features/chat/composer/enter";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";
import styles from "./QuestionEditor.module.css";

interface QuestionEditorProps {
  content: string;
  /** Asks the edited question; rejects if the server refused it, which is shown elsewhere. */
  onAsk: (content: string) => Promise<unknown>;
  onClose: () => void;
}

/** Edits a question. Enter sends it, Escape cancels. */
export function QuestionEditor({ content, onAsk, onClose }: QuestionEditorProps) {
  const sendKey = useCurrentUser().preferences?.sendKey;
  const id = useId();
  const ref = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(content);
  const [isAsking, setAsking] = useState(false);
  const canAsk = !isAsking && text.trim() !== "";
  useEffect(() => {
    ref.current?.focus();
    ref.current?.setSelectionRange(-1, -1);
  }, []);
  const ask = async () => {
    if (!canAsk) return;
    setAsking(true);
    try {
      await onAsk(text.trim());
      onClose();
    } catch {
      // The error is shown below the conversation; the text stays, so that it can be sent again.
      setAsking(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    if (!isSending(event, sendKey)) return;
    event.preventDefault();
    void ask();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void ask();
  };
  return (
    <form className={styles.editor} onSubmit={submit}>
      <label htmlFor={id} className="visually-hidden">
        <Trans>Edit your question</Trans>
      </label>
      <textarea
        ref={ref}
        id={id}
        rows={Math.min(12, text.split("\n").length + 1)}
        maxLength={100_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p className={styles.hint}><Trans>The current answer stays as another version.</Trans></p>
      <div className={styles.row}>
        <Button size="sm" variant="ghost" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={!canAsk}>
          {isAsking && <Spinner />} <Trans>Ask</Trans>
        </Button>
      </div>
    </form>
  );
}
