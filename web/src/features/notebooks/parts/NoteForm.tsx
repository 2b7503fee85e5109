import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { ApiError } from "@/api/http";
import { readNote, useSaveNote } from "@/data/notebooks";
import type { NotebookNoteJson } from "@/gen/echomind/public/v1/notebook_note_pb";
import { TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { LastChange } from "@/ui/LastChange";
import { Notice } from "@/ui/Notice";
import styles from "../notebooks.module.css";

/** Writes a note, or changes one. What somebody else has changed meanwhile is shown before it can be overwritten. */
export function NoteForm({ notebookId, note, onClose }: { notebookId: string; note: NotebookNoteJson | undefined; onClose: () => void }) {
  const { t } = useLingui();
  const [title, setTitle] = useState(note?.title ?? "");
  const [content, setContent] = useState(note?.content ?? "");
  // What the person's words replace: as it was opened, or as it was shown to them after somebody else changed it.
  const [base, setBase] = useState(note);
  const [theirs, setTheirs] = useState<NotebookNoteJson>();
  const save = useSaveNote(notebookId);
  const submit = async () => {
    const words = { title: title.trim(), content };
    if (!base?.id) return await save.mutateAsync(words);
    try {
      return await save.mutateAsync({ id: base.id, expectedLastUpdate: base.lastUpdate ?? base.creationDate, ...words });
    } catch (error) {
      if (error instanceof ApiError && error.reason === "CHANGED_SINCE_READ") {
        const now = await readNote(base.id);
        setBase(now);
        setTheirs(now);
      }
      throw error;
    }
  };
  return (
    <FormDialog
      title={note ? t`Edit ${note.title ?? ""}` : t`New note`}
      action={t`Save`}
      isReady={title.trim() !== "" && content.trim() !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      {theirs && (
        <Notice tone="warn">
          <p>
            <Trans>Your words are still here. Saving them again replaces this:</Trans>
          </p>
          <blockquote className={styles.theirs} aria-label={t`The note as it is now`}>
            <strong>{theirs.title}</strong> <LastChange item={theirs} isSentence />
            <pre>{theirs.content}</pre>
          </blockquote>
        </Notice>
      )}
      <TextField label={t`Title`} required maxLength={255} value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextArea label={t`Text, in Markdown`} required rows={12} maxLength={100_000} value={content} onChange={(event) => setContent(event.target.value)} />
    </FormDialog>
  );
}
