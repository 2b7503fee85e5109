import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectorsQuery } from "@/data/connectors";
import { documentsQuery, type DocumentFilter } from "@/data/documents";
import type { DocumentStatusJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { DocumentRow } from "./list/DocumentRow";
import { UploadArea } from "./uploads/UploadArea";
import styles from "./DocumentsPage.module.css";

const STATUSES: readonly { value: DocumentStatusJson | ""; label: string }[] = [
  { value: "", label: "Any status" },
  { value: "DOCUMENT_STATUS_COMPLETED", label: "Ready" },
  { value: "DOCUMENT_STATUS_PROCESSING", label: "Processing" },
  { value: "DOCUMENT_STATUS_PENDING", label: "Waiting" },
  { value: "DOCUMENT_STATUS_FAILED", label: "Failed" },
];

/** The documents that answers come from: upload, list, filter. */
export function DocumentsPage() {
  const [filter, setFilter] = useState<DocumentFilter>({ connectorId: 0, status: "" });
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const documents = useInfiniteQuery(documentsQuery(filter));
  const items = documents.data?.pages.flatMap((page) => page.documents ?? []);
  const isFiltered = filter.connectorId !== 0 || filter.status !== "";
  return (
    <main className={styles.page}>
      <title>Documents · EchoMind</title>
      <header className={styles.header}>
        <h1>Documents</h1>
        <p>Questions are answered from these. You see the documents that you may read.</p>
      </header>
      <UploadArea />
      <div className={styles.filters}>
        <select
          aria-label="Connector"
          value={filter.connectorId}
          onChange={(event) => setFilter({ ...filter, connectorId: Number(event.target.value) })}
        >
          <option value={0}>All connectors</option>
          {connectors.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Status"
          value={filter.status}
          onChange={(event) => setFilter({ ...filter, status: event.target.value as DocumentFilter["status"] })}
        >
          {STATUSES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {documents.error && <LoadFailure error={documents.error} onRetry={documents.refetch} />}
      {documents.isPending && <Spinner label="Loading documents" />}
      {items?.length === 0 && (
        <p className={styles.empty}>{isFiltered ? "No documents match the filter." : "No documents yet. Upload some to ask about them."}</p>
      )}
      {items && items.length > 0 && (
        <ul className={styles.list} aria-label="Documents">
          {items.map((document) => (
            <DocumentRow
              key={document.id}
              document={document}
              connector={connectors.find(({ id }) => id === document.connectorId)}
            />
          ))}
        </ul>
      )}
      {documents.hasNextPage && (
        <Button disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
          {documents.isFetchingNextPage && <Spinner />} Show more
        </Button>
      )}
    </main>
  );
}
