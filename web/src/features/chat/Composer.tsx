import { ArrowUp, Square } from "lucide-react";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { IconButton } from "@/ui/Button";
import styles from "./Composer.module.css";

interface ComposerProps {
  text: string;
  onTextChange: (text: string) => void;
  onSend: () => void;
  /** Stops the run; there while one is at work. */
  onStop?: (() => void) | undefined;
  isBusy: boolean;
  /** Small controls and notes under the text. */
  footer?: ReactNode;
}

const MAX_LENGTH = 100_000;

/** Where one writes a question. Enter sends, Shift+Enter begins a new line. */
export function Composer({ text, onTextChange, onSend, onStop, isBusy, footer }: ComposerProps) {
  const id = useId();
  const ref = useRef<HTMLTextAreaElement>(null);
  const canSend = !isBusy && text.trim() !== "";
  useEffect(() => {
    // On a touch screen the focus would open the keyboard over half the page.
    if (window.matchMedia("(hover: hover)").matches) ref.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is put together from keys (Chinese, Japanese, accents), Enter chooses it.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
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
        Your question
      </label>
      <div className={styles.grow} data-text={text}>
        <textarea
          ref={ref}
          id={id}
          rows={1}
          maxLength={MAX_LENGTH}
          placeholder="Ask about your documents"
          value={text}
          onChange={(event) => onTextChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.row}>
        <div className={styles.footer}>{footer}</div>
        {onStop ? (
          <IconButton label="Stop" className={styles.send} onClick={onStop}>
            <Square size={14} fill="currentColor" />
          </IconButton>
        ) : (
          <IconButton label="Send" type="submit" className={styles.send} disabled={!canSend}>
            <ArrowUp size={18} />
          </IconButton>
        )}
      </div>
    </form>
  );
}
