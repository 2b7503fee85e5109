import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { connectorsQuery } from "@/data/connectors";
import { documentsQuery, type DocumentFilter } from "@/data/documents";
import type { DocumentStatusJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Rows } from "@/ui/Rows";
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
  const [filter, setFilter] = useFilter();
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const documents = useInfiniteQuery(documentsQuery(filter));
  const items = documents.data?.pages.flatMap((page) => page.documents ?? []);
  const isFiltered = filter.connectorId !== 0 || filter.status !== "";
  return (
    <Page title="Documents" description="Questions are answered from these. You see the documents that you may read.">
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
      {items && (
        <Rows label="Documents" whenEmpty={isFiltered ? "No documents match the filter." : "No documents yet. Upload some to ask about them."}>
          {items.map((document) => (
            <DocumentRow
              key={document.id}
              document={document}
              connector={connectors.find(({ id }) => id === document.connectorId)}
            />
          ))}
        </Rows>
      )}
      {documents.hasNextPage && (
        <Button className={styles.more} disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
          {documents.isFetchingNextPage && <Spinner />} Show more
        </Button>
      )}
    </Page>
  );
}

/** The filter, which the address has, so that it survives a reload and can be sent to others. */
function useFilter(): [DocumentFilter, (filter: DocumentFilter) => void] {
  const [parameters, setParameters] = useSearchParams();
  const status = STATUSES.find(({ value }) => value === parameters.get("status"))?.value ?? "";
  const connectorId = Number(parameters.get("connector")) || 0;
  const setFilter = (filter: DocumentFilter) => {
    const entries = Object.entries({ connector: filter.connectorId || "", status: filter.status });
    setParameters(entries.filter(([, value]) => value).map(([name, value]) => [name, String(value)]), { replace: true });
  };
  return [{ connectorId, status }, setFilter];
}
