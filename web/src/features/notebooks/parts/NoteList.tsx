import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { notebookNotesQuery } from "@/data/notebooks";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { NoteDialog } from "./NoteDialog";
import styles from "../notebooks.module.css";

interface NoteListProps {
  notebook: NotebookJson;
  /** A note that is open. */
  opened: OpenNote | undefined;
  onOpen: (opened: OpenNote | undefined) => void;
}

/** A note that is open, or one of its citations in its place. */
export interface OpenNote {
  /** Empty for a new note. */
  id: string;
  citation?: CitationJson;
}

/** The notes of a notebook. */
export function NoteList({ notebook, opened, onOpen }: NoteListProps) {
  const { t } = useLingui();
  const { id = "" } = notebook;
  const { data: notes, error, refetch } = useQuery(notebookNotesQuery(id));
  const note = notes?.find((one) => one.id === opened?.id);
  return (
    <section aria-labelledby="notebook-notes">
      <header className={styles.head}>
        <h2 id="notebook-notes">
          <Trans>Notes</Trans>
        </h2>
        <Button size="sm" onClick={() => onOpen({ id: "" })}>
          <Plus size={14} aria-hidden /> <Trans>New note</Trans>
        </Button>
      </header>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {notes?.length === 0 && (
        <p className={styles.empty}>
          <Trans>Nothing was noted yet. Save an answer as a note, or write one.</Trans>
        </p>
      )}
      <ul className={styles.sessions} aria-label={t`Notes`}>
        {notes?.map(({ id: noteId = "", title = "", userName = "", creationDate }) => (
          <li key={noteId} className={styles.session}>
            <button type="button" className={styles.note} onClick={() => onOpen({ id: noteId })}>
              {title}
            </button>
            <p>{[userName, formatMoment(creationDate)].join(" · ")}</p>
          </li>
        ))}
      </ul>
      {opened && !opened.citation && (opened.id === "" || note) && (
        <NoteDialog
          key={opened.id}
          notebook={notebook}
          note={note}
          onOpenSource={(citation) => onOpen({ ...opened, citation })}
          onClose={() => onOpen(undefined)}
        />
      )}
    </section>
  );
}
