import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowUp, Clock, Pause, Square } from "lucide-react";
import { useEffect, useId, useRef, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react";
import { useCurrentUser } from "@/data/users";
import { Button, IconButton } from "@/ui/Button";
import { takeFocus } from "@/ui/focus";
import { AttachButton } from "./AttachButton";
import { isSending } from "./enter";
import styles from "./Composer.module.css";

interface ComposerProps {
  text: string;
  onTextChange: (text: string) => void;
  onSend: () => void;
  /** Stops the active run, if there is one. */
  onStop?: (() => void) | undefined;
  /** Pauses the run; there while one can be paused. */
  onPause?: (() => void) | undefined;
  /** Whether a pause of the run is requested but its step has not ended. */
  isPausing?: boolean;
  /** Whether sending is disabled now; typing is not. */
  isBusy: boolean;
  /** Whether the text is being sent: it is kept until the server has stored it. */
  isSent?: boolean;
  /** Sends it when the current answer is complete; set while one is being written. */
  onQueue?: (() => void) | undefined;
  /** Whether it waits to be sent. */
  isQueued?: boolean;
  /** Turns it into a draft again. */
  onEdit?: (() => void) | undefined;
  /** Whether the input answers the request of a run instead of asking a question. */
  isAnswer?: boolean;
  /** Attaches files; left out where none can be attached. */
  onFiles?: ((files: File[]) => void) | undefined;
  /** The part above the text: the attached files. */
  header?: ReactNode;
  /** Small controls and notes under the text. */
  footer?: ReactNode;
}

const MAX_LENGTH = 100_000;

/** The composer for questions and answers. Enter sends, Shift+Enter inserts a line break. */
export function Composer(props: ComposerProps) {
  const { text, onTextChange, onSend, onStop, onPause, isPausing = false, isBusy, isSent = false, isAnswer = false } = props;
  const { onQueue, isQueued = false, onEdit, onFiles, header, footer } = props;
  const { t } = useLingui();
  const sendKey = useCurrentUser().preferences?.sendKey;
  const id = useId();
  const ref = useRef<HTMLTextAreaElement>(null);
  const send = isBusy ? onQueue : onSend;
  const canSend = send !== undefined && !isQueued && !isSent && text.trim() !== "";
  useEffect(() => {
    // On a touch screen, the focus would open the on-screen keyboard.
    if (window.matchMedia("(hover: hover)").matches) takeFocus(ref.current);
  }, []);
  const isHinted = isBusy && !isSent && !isQueued && text.trim() !== "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSending(event, sendKey)) return;
    event.preventDefault();
    if (canSend) send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (!onFiles || files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) send();
      }}
    >
      {header}
      {isQueued && (
        <p className={styles.queued} role="status">
          <Clock size={15} aria-hidden />
          <span>
            <Trans>Queued. It is sent when the answer is complete.</Trans>
          </span>
          <Button size="sm" variant="ghost" onClick={onEdit}>
            <Trans>Edit</Trans>
          </Button>
        </p>
      )}
      <label htmlFor={id} className="visually-hidden">
        {isAnswer ? t`Your answer` : t`Your question`}
      </label>
      <div className={styles.grow} data-text={text}>
        <textarea
          ref={ref}
          id={id}
          rows={1}
          maxLength={MAX_LENGTH}
          placeholder={isAnswer ? t`Answer the question` : t`Ask about your documents`}
          value={text}
          readOnly={isSent || isQueued}
          data-sent={isSent || isQueued || undefined}
          aria-describedby={`${id}-state`}
          onChange={(event) => onTextChange(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
      </div>
      <p id={`${id}-state`} className={isHinted ? styles.state : "visually-hidden"}>
        {isHinted && (onQueue ? t`Queue it, and it is sent when the answer is complete.` : t`You can send this when the answer is complete. It is kept until then.`)}
      </p>
      <div className={styles.row}>
        <div className={styles.footer}>
          {onFiles && <AttachButton onFiles={onFiles} />}
          {footer}
        </div>
        <div className={styles.buttons}>
          {onPause && (
            <IconButton label={isPausing ? t`Pausing after this step` : t`Pause`} disabled={isPausing} onClick={onPause}>
              <Pause size={16} />
            </IconButton>
          )}
          {onStop && (
            <IconButton label={t`Stop`} className={styles.send} onClick={onStop}>
              <Square size={14} fill="currentColor" />
            </IconButton>
          )}
          {(!onStop || isAnswer || isHinted) && (
            <IconButton label={isHinted && onQueue ? t`Queue` : t`Send`} type="submit" className={styles.send} disabled={!canSend}>
              <ArrowUp size={18} />
            </IconButton>
          )}
        </div>
      </div>
    </form>
  );
}
