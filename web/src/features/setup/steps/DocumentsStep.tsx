import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { serverWords } from "@/api/error-words";
import { connectorsQuery, isGuide } from "@/data/connectors";
import { documentsQuery, isProcessing, useRetryDocuments } from "@/data/documents";
import { setupKeys } from "@/data/setup";
import { DocumentUpload } from "@/features/documents/DocumentUpload";
import { useUploads } from "@/features/documents/UploadsProvider";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import type { StepProps } from "./step-props";
import styles from "../SetupPage.module.css";

/** Selects the first documents, and waits until they are read: until then, questions about them find nothing. */
export function DocumentsStep({ isDone, onDone }: StepProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [uploads] = useUploads();
  const stored = uploads.filter(({ state }) => state === "stored").length;
  useEffect(() => void client.invalidateQueries({ queryKey: setupKeys.all }), [client, stored]);
  const [documents, isLoading] = useOwnDocuments();
  const failed = documents.filter(({ status }) => status === "DOCUMENT_STATUS_FAILED");
  const reading = documents.filter(isProcessing).length;
  const ready = documents.length - failed.length - reading;
  const isSending = uploads.some(({ state }) => state === "waiting" || state === "sending");
  // A file that was just stored is not in the list yet.
  const isBusy = isSending || (stored > 0 && isLoading) || reading > 0;
  return (
    <div className={styles.form}>
      <p className={styles.text}>
        <Trans>Answers come from documents, with their sources. Add some now, or later under Documents or on the command line.</Trans>
      </p>
      <DocumentUpload />
      {failed.length > 0 && <Failures documents={failed} />}
      <p className={styles.text} role="status">
        {isBusy && <Spinner />} {reading > 0 && t`Reading: ${ready} of ${documents.length} ready`}
        {!isBusy && ready > 0 && plural(ready, { one: "# document is ready for questions.", other: "# documents are ready for questions." })}
      </p>
      {(isDone || uploads.length > 0 || documents.length > 0) && (
        <div className={styles.actions}>
          <Button variant="primary" disabled={isBusy} onClick={onDone}>
            <Trans>Continue</Trans>
          </Button>
          {isBusy && (
            <Button variant="ghost" onClick={onDone}>
              <Trans>Do not wait</Trans>
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** The documents that people have added, while the page shows their state, and whether they are being loaded. */
function useOwnDocuments(): [readonly DocumentJson[], boolean] {
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const connectorIds = connectors.filter((connector) => !isGuide(connector)).map(({ id = 0 }) => id);
  const { data, isFetching } = useInfiniteQuery({
    ...documentsQuery({ filter: { connectorIds }, sort: "DOCUMENT_SORT_ADDED", descending: true }),
    enabled: connectorIds.length > 0,
  });
  const documents = connectorIds.length > 0 ? (data?.pages.flatMap((page) => page.documents ?? []) ?? []) : [];
  return [documents, isFetching];
}

/** What could not be read, and what each needs. */
function Failures({ documents }: { documents: readonly DocumentJson[] }) {
  const retry = useRetryDocuments();
  return (
    <Notice
      tone="danger"
      actions={
        <Button size="sm" disabled={retry.isPending} onClick={() => retry.mutate({ ids: documents.map(({ id = "" }) => id) })}>
          <Trans>Retry</Trans>
        </Button>
      }
    >
      {plural(documents.length, { one: "# document could not be read:", other: "# documents could not be read:" })}
      <ul>
        {documents.map(({ id, title = "", fileName = "", statusMessage }) => (
          <li key={id}>
            {title || fileName}: {serverWords(statusMessage)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
