/** What the documents pages read and change over the API. */
import { queryOptions } from "@tanstack/react-query";
import { request } from "@/api/http";
import { pagedQuery, readAll } from "@/api/pages";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { ChunkJson, DocumentJson, DocumentStatusJson, DocumentTextJson } from "@/gen/echomind/public/v1/document_pb";
import type { ListDocumentChunksResponseJson, ListDocumentsResponseJson } from "@/gen/echomind/public/v1/document_service_pb";

const DOCUMENTS = "/api/v1/documents";
const POLL_MS = 2000;

/** Begins every key of a list of documents. */
export const DOCUMENTS_KEY = ["documents"];

/** Which documents to list; 0 and empty mean all. */
export interface DocumentFilter {
  connectorId: number;
  status: DocumentStatusJson | "";
}

/** The documents that the reader may read, newest first; read again while one of them is being processed. */
export function documentsQuery({ connectorId, status }: DocumentFilter) {
  const query = { connectorId: connectorId || undefined, status: status || undefined };
  return {
    ...pagedQuery<ListDocumentsResponseJson>([...DOCUMENTS_KEY, query], DOCUMENTS, query),
    refetchInterval: ({ state }: { state: { data?: { pages: ListDocumentsResponseJson[] } | undefined } }) =>
      state.data?.pages.some((page) => page.documents?.some(isUnderWay)) ? POLL_MS : (false as const),
  };
}

/** Whether a document still waits or is being processed. */
export function isUnderWay({ status }: DocumentJson): boolean {
  return status === "DOCUMENT_STATUS_PENDING" || status === "DOCUMENT_STATUS_PROCESSING";
}

/** One document. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ["document", id],
    queryFn: ({ signal }) => request<DocumentJson>("GET", `${DOCUMENTS}/${id}`, { signal }),
    retry: false,
  });

/** A part of a document's text, in code points; cut to what the text has. */
export const documentTextQuery = (id: string, start: number, end: number) =>
  queryOptions({
    queryKey: ["document-text", id, start, end],
    queryFn: ({ signal }) => request<DocumentTextJson>("GET", `${DOCUMENTS}/${id}/text`, { query: { start, end }, signal }),
    retry: false,
  });

/** A document's passages, as far as one page reaches. */
export const chunksQuery = (id: string) =>
  queryOptions({
    queryKey: ["chunks", id],
    queryFn: async ({ signal }): Promise<ChunkJson[]> => {
      const query = { pageSize: 1000 };
      return (await request<ListDocumentChunksResponseJson>("GET", `${DOCUMENTS}/${id}/chunks`, { query, signal })).chunks ?? [];
    },
    retry: false,
  });

/** All connectors that the reader may read. */
export const connectorsQuery = queryOptions({
  queryKey: ["connectors"],
  queryFn: ({ signal }) => readAll<ConnectorJson>("/api/v1/connectors", "connectors", {}, signal),
});

export function deleteDocument(id: string): Promise<unknown> {
  return request("DELETE", `${DOCUMENTS}/${id}`);
}

/** Deletes a document with its passages, bytes and text before it answers. */
export function purgeDocument(id: string): Promise<unknown> {
  return request("POST", `${DOCUMENTS}/${id}:purge`, { body: {} });
}

export function retryDocument(id: string): Promise<DocumentJson> {
  return request("POST", `${DOCUMENTS}/${id}:retry`, { body: {} });
}

/** Where a document's bytes are. */
export function downloadUrl(id: string): string {
  return `${DOCUMENTS}/${id}:download`;
}

/** Where uploads go. */
export const UPLOAD_URL = `${DOCUMENTS}:upload`;
