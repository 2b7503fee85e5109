import { ArrowUp, Pause, Square } from "lucide-react";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { IconButton } from "@/ui/Button";
import { isSending } from "./enter";
import styles from "./Composer.module.css";

interface ComposerProps {
  text: string;
  onTextChange: (text: string) => void;
  onSend: () => void;
  /** Stops the run; there while one is at work. */
  onStop?: (() => void) | undefined;
  /** Pauses the run; there while one can be paused. */
  onPause?: (() => void) | undefined;
  /** Whether the run was asked to pause and has still to finish its step. */
  isPausing?: boolean;
  isBusy: boolean;
  /** Whether what is sent answers what a run asked, and is not a question. */
  isAnswer?: boolean;
  /** Small controls and notes under the text. */
  footer?: ReactNode;
}

const MAX_LENGTH = 100_000;

/** Where one writes a question, or answers one. Enter sends, Shift+Enter begins a new line. */
export function Composer(props: ComposerProps) {
  const { text, onTextChange, onSend, onStop, onPause, isPausing = false, isBusy, isAnswer = false, footer } = props;
  const id = useId();
  const ref = useRef<HTMLTextAreaElement>(null);
  const canSend = !isBusy && text.trim() !== "";
  useEffect(() => {
    // On a touch screen the focus would open the keyboard over half the page.
    if (window.matchMedia("(hover: hover)").matches) ref.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSending(event)) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {isAnswer ? "Your answer" : "Your question"}
      </label>
      <div className={styles.grow} data-text={text}>
        <textarea
          ref={ref}
          id={id}
          rows={1}
          maxLength={MAX_LENGTH}
          placeholder={isAnswer ? "Answer the question" : "Ask about your documents"}
          value={text}
          onChange={(event) => onTextChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.row}>
        <div className={styles.footer}>{footer}</div>
        <div className={styles.buttons}>
          {onPause && (
            <IconButton label={isPausing ? "Pausing after this step" : "Pause"} disabled={isPausing} onClick={onPause}>
              <Pause size={16} />
            </IconButton>
          )}
          {onStop && (
            <IconButton label="Stop" className={styles.send} onClick={onStop}>
              <Square size={14} fill="currentColor" />
            </IconButton>
          )}
          {(!onStop || isAnswer) && (
            <IconButton label="Send" type="submit" className={styles.send} disabled={!canSend}>
              <ArrowUp size={18} />
            </IconButton>
          )}
        </div>
      </div>
    </form>
  );
}
