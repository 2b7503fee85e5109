import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { notebookNotesQuery } from "@/data/notebooks";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { NoteDialog } from "./NoteDialog";
import styles from "../notebooks.module.css";

/** The notes of a notebook. */
export function NoteList({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const { id = "" } = notebook;
  const { data: notes, error, refetch } = useQuery(notebookNotesQuery(id));
  // The note that is open; an empty text for a new one.
  const [opened, setOpened] = useState<string>();
  const note = notes?.find((one) => one.id === opened);
  return (
    <section aria-labelledby="notebook-notes">
      <header className={styles.head}>
        <h2 id="notebook-notes">
          <Trans>Notes</Trans>
        </h2>
        <Button size="sm" onClick={() => setOpened("")}>
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
            <button type="button" className={styles.note} onClick={() => setOpened(noteId)}>
              {title}
            </button>
            <p>{[userName, formatMoment(creationDate)].join(" · ")}</p>
          </li>
        ))}
      </ul>
      {(opened === "" || note) && <NoteDialog key={opened} notebook={notebook} note={note} onClose={() => setOpened(undefined)} />}
    </section>
  );
}
