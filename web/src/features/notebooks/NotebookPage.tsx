import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { canEdit, notebookQuery, useNotebookEnd } from "@/data/notebooks";
import { WithSource } from "@/features/documents/WithSource";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import { AskBox } from "./parts/AskBox";
import { FurtherTools } from "./parts/FurtherTools";
import { Instructions } from "./parts/Instructions";
import { MemberList } from "./parts/MemberList";
import { NoteList, type OpenNote } from "./parts/NoteList";
import { NotebookDialog } from "./parts/NotebookDialog";
import { SessionList } from "./parts/SessionList";
import { SourceList } from "./parts/SourceList";
import { Summary } from "./parts/Summary";
import styles from "./notebooks.module.css";

/** A notebook: its sources at the left, questions and conversations beside them. */
export function NotebookPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: notebook, error, refetch } = useQuery(notebookQuery(id));
  if (notebook && !error) return <Notebook notebook={notebook} />;
  return (
    <Page title={t`Notebook`} parents={[{ href: "/notebooks", label: t`Notebooks` }]}>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading the notebook`} />}
    </Page>
  );
}

function Notebook({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { id = "", title = "", description, role, sourceCount = 0 } = notebook;
  const [isEditing, setEditing] = useState(false);
  const [note, setNote] = useState<OpenNote>();
  const end = useNotebookEnd();
  const isMember = role !== undefined && role !== "NOTEBOOK_ROLE_UNSPECIFIED";
  // The page may unmount before the response arrives, and `mutate` would then not run its callbacks.
  const restore = () => end.mutateAsync({ id, end: "restore" }).then(() => navigate(`/notebooks/${id}`), showFailure);
  const remove = () =>
    end.mutateAsync({ id, end: "remove" }).then(() => {
      navigate("/notebooks");
      const undo = { label: t`Undo`, run: () => void restore() };
      showToast({ message: t`Removed ${title} with its conversations. It can be restored for 30 days.`, action: undo });
    }, showFailure);
  return (
    // A cited passage takes the place of its note, which is there again when the passage is closed.
    <WithSource citation={note?.citation} onClose={() => setNote(note && { id: note.id })}>
      <Page
        title={title}
        parents={[{ href: "/notebooks", label: t`Notebooks` }]}
        {...(description && { description })}
        actions={
          <div className={styles.actions}>
            {canEdit(role) && (
              <Button onClick={() => setEditing(true)}>
                <Pencil size={15} aria-hidden /> <Trans>Edit</Trans>
              </Button>
            )}
            {(role === "NOTEBOOK_ROLE_OWNER" || !isMember) && (
              <Button onClick={() => void remove()}>
                <Trash2 size={15} aria-hidden /> <Trans>Remove</Trans>
              </Button>
            )}
          </div>
        }
      >
        <div className={styles.columns}>
          <div className={styles.main}>
            {isMember && <AskBox notebookId={id} hasSources={sourceCount > 0} />}
            {isMember && sourceCount > 0 && <Summary notebookId={id} />}
            {isMember && <NoteList notebook={notebook} opened={note} onOpen={setNote} />}
            {isMember && <SessionList notebookId={id} />}
          </div>
          <div className={styles.side}>
            <SourceList notebook={notebook} />
            <Instructions notebook={notebook} />
            <FurtherTools notebook={notebook} />
            <MemberList notebook={notebook} onLeft={() => navigate("/notebooks")} />
          </div>
        </div>
        {isEditing && <NotebookDialog notebook={notebook} onClose={() => setEditing(false)} />}
      </Page>
    </WithSource>
  );
}
