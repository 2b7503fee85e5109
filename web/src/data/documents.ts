/** Documents: what is read of them, and how they change. */
import { queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { ChunkJson, DocumentJson, DocumentStatusJson } from "@/gen/echomind/public/v1/document_pb";
import {
  deleteDocument,
  getDocument,
  getDocumentText,
  listDocumentChunks,
  listDocuments,
  purgeDocument,
  retryDocument,
} from "@/gen/echomind/public/v1/document_service_client";
import type { ListDocumentsResponseJson } from "@/gen/echomind/public/v1/document_service_pb";
import { connectorKeys } from "./connectors";

const POLL_MS = 2000;

const all = ["documents"] as const;

/** Where documents are kept. */
export const documentKeys = {
  lists: [...all, "list"] as const,
  list: (filter: DocumentFilter) => [...all, "list", filter] as const,
  detail: (id: string) => [...all, id, "detail"] as const,
  text: (id: string, start: number, end: number) => [...all, id, "text", start, end] as const,
  chunks: (id: string) => [...all, id, "chunks"] as const,
};

/** Which documents to list; 0 and empty mean all. */
export interface DocumentFilter {
  connectorId: number;
  status: DocumentStatusJson | "";
}

/** The documents that the reader may read, newest first; read again while one of them is being processed. */
export function documentsQuery(filter: DocumentFilter) {
  const { connectorId, status } = filter;
  const request = { ...(connectorId && { connectorId }), ...(status && { status }) };
  return {
    ...pagedQuery(documentKeys.list(filter), listDocuments, request),
    refetchInterval: ({ state }: { state: { data?: { pages: ListDocumentsResponseJson[] } | undefined } }) =>
      state.data?.pages.some((page) => page.documents?.some(isProcessing)) ? POLL_MS : (false as const),
  };
}

/** Whether a document still waits or is being processed. */
export function isProcessing({ status }: DocumentJson): boolean {
  return status === "DOCUMENT_STATUS_PENDING" || status === "DOCUMENT_STATUS_PROCESSING";
}

/** One document. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: documentKeys.detail(id),
    queryFn: ({ signal }) => getDocument({ id }, { signal }),
    retry: false,
  });

/** A part of a document's text, in code points; cut to what the text has. */
export const documentTextQuery = (id: string, start: number, end: number) =>
  queryOptions({
    queryKey: documentKeys.text(id, start, end),
    queryFn: ({ signal }) => getDocumentText({ id, start, end }, { signal }),
    retry: false,
  });

/** A document's passages, as far as one page reaches. */
export const chunksQuery = (id: string) =>
  queryOptions({
    queryKey: documentKeys.chunks(id),
    queryFn: async ({ signal }): Promise<ChunkJson[]> => (await listDocumentChunks({ id, pageSize: 1000 }, { signal })).chunks ?? [],
    retry: false,
  });

/** Deletes a document, permanently with its passages, bytes and text before it answers. */
export function useRemoveDocument(id: string) {
  return useDocumentChange(({ isPermanent }: { isPermanent: boolean }) => (isPermanent ? purgeDocument({ id }) : deleteDocument({ id })));
}

/** Processes a document again. */
export function useRetryDocument(id: string) {
  return useDocumentChange(() => retryDocument({ id }));
}

/** A change of a document, after which the lists are read again. */
function useDocumentChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: documentKeys.lists }),
  });
}

/** Reads the lists again after a document was stored, which may have made its connector. */
export async function reloadAfterUpload(client: QueryClient): Promise<void> {
  await Promise.all([documentKeys.lists, connectorKeys.list].map((queryKey) => client.invalidateQueries({ queryKey })));
}
