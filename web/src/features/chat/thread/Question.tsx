import { Trans, useLingui } from "@lingui/react/macro";
import { FileText, Pencil, Undo2 } from "lucide-react";
import { memo, useState } from "react";
import { Link } from "wouter";
import type { AttachmentJson, ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { AuthorNote } from "@/ui/AuthorNote";
import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { CopyButton } from "@/ui/CopyButton";
import { ExcludeButton, ExcludedNote } from "./ExcludeButton";
import { QuestionEditor } from "./QuestionEditor";
import { Siblings } from "./Siblings";
import type { MessageActions } from "./use-message-actions";
import styles from "./Question.module.css";

interface QuestionProps {
  message: ChatMessageJson;
  /** The run that answered it. */
  run: RunJson | undefined;
  /** Whether it is the last one, which can be undone. */
  isLast: boolean;
  /** Whether it is read-only now. */
  isBusy: boolean;
  /** Whether the conversation is the reader's own. */
  isOwn: boolean;
  actions: MessageActions;
}

/** A question with its actions. */
export const Question = memo(function Question({ message, run, isLast, isBusy, isOwn, actions }: QuestionProps) {
  const { t } = useLingui();
  const { id = "", content = "", excluded = false, attachments, authorKind } = message;
  const isForeign = !isOwn || authorKind === "AUTHOR_KIND_FOREIGN" || authorKind === "AUTHOR_KIND_UNKNOWN";
  const [isEditing, setEditing] = useState(false);
  if (isEditing) {
    return (
      <QuestionEditor content={content} onAsk={(edited) => actions.edit(id, edited, run)} onClose={() => setEditing(false)} />
    );
  }
  return (
    <div className={styles.question}>
      <QuestionText content={content} attachments={attachments} isExcluded={excluded} isForeign={isForeign} />
      {isForeign && <AuthorNote isCertain={authorKind !== "AUTHOR_KIND_UNKNOWN"} />}
      {excluded && <ExcludedNote />}
      <div className={styles.row}>
        <div className={styles.actions}>
          <CopyButton label={t`Copy question`} text={() => content} />
          <IconButton label={t`Edit question`} disabled={isBusy || !id} onClick={() => setEditing(true)}>
            <Pencil size={15} />
          </IconButton>
          <ExcludeButton message={message} isDisabled={isBusy || !id} onExclude={actions.exclude} />
          {isLast && (
            <IconButton label={t`Undo last turn`} disabled={isBusy || !id} onClick={() => actions.undo(message)}>
              <Undo2 size={16} />
            </IconButton>
          )}
        </div>
        <Siblings message={message} isDisabled={isBusy} onShow={actions.show} />
      </div>
    </div>
  );
});

interface QuestionTextProps {
  content: string;
  attachments?: readonly AttachmentJson[] | undefined;
  isExcluded?: boolean;
  /** Whether somebody else wrote it. */
  isForeign?: boolean;
}

/** The question with its documents. */
export function QuestionText({ content, attachments = [], isExcluded = false, isForeign = false }: QuestionTextProps) {
  const { t } = useLingui();
  return (
    <>
      {attachments.length > 0 && (
        <ul className={styles.files} aria-label={t`Attached files`}>
          {attachments.map(({ documentId = "", title }) => (
            <li key={documentId}>
              {title ? (
                <Link href={`/documents/${documentId}`} className={styles.file}>
                  <FileText size={14} aria-hidden /> {title}
                </Link>
              ) : (
                <span className={styles.file}>
                  <FileText size={14} aria-hidden /> <Trans>Removed document</Trans>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className={classes(styles.text, isExcluded && styles.excluded)}>
        <span className="visually-hidden">
          {isForeign ? <Trans>Somebody else asked:</Trans> : <Trans>You asked:</Trans>}
        </span>
        {content}
      </div>
    </>
  );
}
