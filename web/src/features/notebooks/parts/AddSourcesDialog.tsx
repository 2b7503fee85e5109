import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectorsQuery } from "@/data/connectors";
import { documentsQuery } from "@/data/documents";
import { useAddSources } from "@/data/notebooks";
import type { NotebookSourceJson } from "@/gen/echomind/public/v1/notebook_pb";
import { SearchBox } from "@/ui/filters";
import { FormDialog } from "@/ui/FormDialog";
import { Spinner } from "@/ui/Spinner";
import styles from "../notebooks.module.css";

interface AddSourcesDialogProps {
  notebookId: string;
  /** Existing sources. */
  known: readonly NotebookSourceJson[];
  onClose: () => void;
}

/** Chooses documents and collections to add to a notebook. */
export function AddSourcesDialog({ notebookId, known, onClose }: AddSourcesDialogProps) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const connectors = useQuery(connectorsQuery);
  const documents = useInfiniteQuery(documentsQuery({ filter: query ? { query } : {}, sort: "DOCUMENT_SORT_ADDED", descending: true }));
  const addition = useAddSources(notebookId);
  const has = new Set(known.map(({ connectorId, documentId }) => (connectorId ? `c${connectorId}` : `d${documentId ?? ""}`)));
  const toggle = (key: string) => setChosen((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]));
  const options = [
    ...(connectors.data ?? [])
      .filter(({ name = "" }) => name.toLowerCase().includes(query.toLowerCase()))
      .map(({ id = 0, name = "" }) => ({ key: `c${id}`, name, kind: t`Collection, with all its documents` })),
    ...(documents.data?.pages.flatMap((page) => page.documents ?? []) ?? []).map(({ id = "", title = "" }) => ({ key: `d${id}`, name: title, kind: t`Document` })),
  ].filter(({ key }) => !has.has(key));
  const of = (kind: string) => [...chosen].filter((key) => key.startsWith(kind)).map((key) => key.slice(1));
  const submit = () => addition.mutateAsync({ connectorIds: of("c").map(Number), documentIds: of("d") });
  const count = chosen.size;
  return (
    <FormDialog title={t`Add sources`} action={count > 0 ? t`Add ${count}` : t`Add`} isReady={count > 0} onSubmit={submit} onClose={onClose}>
      <SearchBox label={t`Search documents and collections`} value={query} onChange={setQuery} />
      <div className={styles.options} role="group" aria-label={t`Documents and collections`}>
        {(connectors.isLoading || documents.isLoading) && <Spinner label={t`Loading`} />}
        {options.map(({ key, name, kind }) => (
          <label key={key} className={styles.option}>
            <input type="checkbox" checked={chosen.has(key)} onChange={() => toggle(key)} />
            <span>
              {name}
              <small>{kind}</small>
            </span>
          </label>
        ))}
        {!documents.isLoading && options.length === 0 && (
          <p className={styles.empty}>
            <Trans>Nothing left to add.</Trans>
          </p>
        )}
      </div>
    </FormDialog>
  );
}
