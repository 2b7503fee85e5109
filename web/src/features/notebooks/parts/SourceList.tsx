import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { EyeOff, FileText, Library, Plus, X } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { canEdit, notebookSourcesQuery, useAddSources, useRemoveSources } from "@/data/notebooks";
import type { NotebookJson, NotebookSourceJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button, IconButton } from "@/ui/Button";
import { QueryView } from "@/ui/QueryView";
import { showFailure, showToast } from "@/ui/toasts";
import { AddSourcesDialog } from "./AddSourcesDialog";
import { SourceDrop } from "./SourceDrop";
import { SourceState } from "./SourceState";
import styles from "../notebooks.module.css";

/** The sources of a notebook. */
export function SourceList({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const { id = "" } = notebook;
  const { data: sources, error, refetch } = useQuery(notebookSourcesQuery(id));
  const [isAdding, setAdding] = useState(false);
  const removal = useRemoveSources(id);
  const addition = useAddSources(id);
  const isEditor = canEdit(notebook.role);
  const remove = (source: NotebookSourceJson) => {
    const again = { connectorIds: source.connectorId ? [source.connectorId] : [], documentIds: source.documentId ? [source.documentId] : [] };
    const undo = { label: t`Undo`, run: () => addition.mutate(again, { onError: showFailure }) };
    removal.mutate([source.id ?? ""], {
      onError: showFailure,
      onSuccess: () => showToast({ message: t`Removed ${source.title || t`a source`} from the notebook.`, ...(source.isReadable && { action: undo }) }),
    });
  };
  return (
    <section className={styles.panel} aria-labelledby="notebook-sources">
      <header className={styles.head}>
        <h2 id="notebook-sources">
          <Trans>Sources</Trans>
        </h2>
        {isEditor && (
          <Button size="sm" onClick={() => setAdding(true)}>
            <Plus size={14} /> <Trans>Add sources</Trans>
          </Button>
        )}
      </header>
      <QueryView error={error} onRetry={refetch} isPending={!sources} label={t`Loading sources`} />
      {sources?.length === 0 && (
        <p className={styles.empty}>
          {isEditor ? t`Add documents or collections. Answers use only these.` : t`There is no source yet. An editor can add some.`}
        </p>
      )}
      <ul className={styles.sources} aria-label={t`Sources`}>
        {sources?.map((source) => (
          <li key={source.id}>
            <div className={styles.stated}>
              <SourceName source={source} />
              <SourceState notebookId={id} source={source} />
            </div>
            {isEditor && (
              <IconButton label={t`Remove ${source.title || t`this source`} from the notebook`} onClick={() => remove(source)}>
                <X size={14} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {isEditor && <SourceDrop notebook={notebook} />}
      {isAdding && <AddSourcesDialog notebookId={id} known={sources ?? []} onClose={() => setAdding(false)} />}
    </section>
  );
}

function SourceName({ source }: { source: NotebookSourceJson }) {
  const { title, connectorId, documentId } = source;
  if (!source.isReadable) {
    return (
      <span className={styles.hidden}>
        <EyeOff size={15} aria-hidden /> <Trans>A source that you may not read</Trans>
      </span>
    );
  }
  return connectorId ? (
    <Link href={`/sources/${connectorId}`} className={styles.source}>
      <Library size={15} aria-hidden /> <span>{title}</span>
    </Link>
  ) : (
    <Link href={`/documents/${documentId ?? ""}`} className={styles.source}>
      <FileText size={15} aria-hidden /> <span>{title}</span>
    </Link>
  );
}
