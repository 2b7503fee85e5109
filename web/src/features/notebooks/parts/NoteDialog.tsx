import { Trans, useLingui } from "@lingui/react/macro";
import { FilePlus, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { audiencesOf } from "@/data/audiences";
import { canEdit, useAddSources, useDeleteNote } from "@/data/notebooks";
import { useCurrentUser } from "@/data/users";
import { toolLabel } from "@/features/chat/tools";
import { AnswerText } from "@/features/citations/AnswerText";
import { BasisNote } from "@/features/citations/BasisNote";
import { fileNameOf, sourcesOf, titleOf } from "@/features/citations/citations";
import { useUploads } from "@/features/documents/UploadsProvider";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { NotebookNoteJson } from "@/gen/echomind/public/v1/notebook_note_pb";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { LastChange } from "@/ui/LastChange";
import { showToast } from "@/ui/toasts";
import { NoteForm } from "./NoteForm";
import { fileOf, folderOf } from "./pasted";
import styles from "../notebooks.module.css";

interface NoteDialogProps {
  notebook: NotebookJson;
  /** Left out for a new one. */
  note?: NotebookNoteJson | undefined;
  /** Shows a cited passage in its document. */
  onOpenSource: (citation: CitationJson) => void;
  onClose: () => void;
}

/** Shows a note, or writes one. */
export function NoteDialog({ notebook, note, onOpenSource, onClose }: NoteDialogProps) {
  const { t } = useLingui();
  const [mode, setMode] = useState<"read" | "write" | "delete">(note ? "read" : "write");
  const [, uploads] = useUploads();
  const addition = useAddSources(notebook.id ?? "");
  const deletion = useDeleteNote();
  const audience = audiencesOf(useCurrentUser())[0];
  const { id = "", title = "", content = "", citations = [], isEditable = false, basis, otherTools = [], userName = "" } = note ?? {};
  if (mode === "write") return <NoteForm notebookId={notebook.id ?? ""} note={note} onClose={onClose} />;
  if (mode === "delete") {
    return <ConfirmDialog title={t`Delete ${title}?`} text={t`The note is deleted for all members.`} action={t`Delete`} onConfirm={() => deletion.mutateAsync(id)} onClose={onClose} />;
  }
  const use = () => {
    const { file, path } = fileOf(`*${t`Note by ${userName}`}*\n\n${content}`, title);
    uploads.add([{ file, path: `${folderOf(notebook.title ?? "")}/${path}` }], audience, (documentId) =>
      addition.mutateAsync({ connectorIds: [], documentIds: [documentId] }),
    );
    showToast({ message: t`The note becomes a source of the notebook.` });
    onClose();
  };
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <div className={styles.noteText}>
        <AnswerText content={content} citations={citations} onOpen={onOpenSource} />
      </div>
      <BasisNote basis={basis} tools={otherTools.map(toolLabel)} />
      {citations.length > 0 && (
        <ol className={styles.noteSources} aria-label={t`Sources of the note`}>
          {sourcesOf(citations).map(({ number, first }) => (
            <li key={number} value={number}>
              <button type="button" className={styles.note} onClick={() => onOpenSource(first)}>
                {titleOf(first)}
              </button>
              {fileNameOf(first) && <span className={styles.noteFile}>{fileNameOf(first)}</span>}
              {first.snippet && <q>{first.snippet}</q>}
            </li>
          ))}
        </ol>
      )}
      {note && <LastChange item={note} isSentence />}
      <div className={styles.actions}>
        {isEditable && (
          <Button onClick={() => setMode("write")}>
            <Pencil size={15} aria-hidden /> <Trans>Edit</Trans>
          </Button>
        )}
        {canEdit(notebook.role) && (
          <Button onClick={use}>
            <FilePlus size={15} aria-hidden /> <Trans>Use as a source</Trans>
          </Button>
        )}
        {isEditable && (
          <Button variant="ghost" onClick={() => setMode("delete")}>
            <Trash2 size={15} aria-hidden /> <Trans>Delete</Trans>
          </Button>
        )}
      </div>
    </Dialog>
  );
}
