/** Queries and mutations of documents. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { ChunkJson, DocumentFilterJson, DocumentJson, DocumentSelectionJson, DocumentSortJson, DocumentTextJson } from "@/gen/echomind/public/v1/document_pb";
import {
  countDocuments,
  deleteDocument,
  deleteDocuments,
  getDocument,
  getDocumentText,
  listDocumentChunks,
  listDocumentFolders,
  listDocuments,
  moveDocuments,
  purgeDocument,
  retryDocuments,
  updateDocument,
} from "@/gen/echomind/public/v1/document_service_client";
import type { ListDocumentsResponseJson } from "@/gen/echomind/public/v1/document_service_pb";
import { changesOf } from "./changes";
import { connectorKeys } from "./connectors";

const POLL_MS = 2000;

/** Rows that a list reads at once. */
const PAGE = 100;

const all = ["documents"] as const;

/** Query keys of documents. */
export const documentKeys = {
  lists: [...all, "list"] as const,
  list: (list: DocumentList) => [...all, "list", list] as const,
  counts: (filter: DocumentFilterJson) => [...all, "list", "counts", filter] as const,
  folders: (connectorId: number, parent: string) => [...all, "list", "folders", connectorId, parent] as const,
  members: (id: string) => [...all, "list", "members", id] as const,
  detail: (id: string) => [...all, id, "detail"] as const,
  text: (id: string, start: number, end: number) => [...all, id, "text", start, end] as const,
  markdown: (id: string, from: number) => [...all, id, "markdown", from] as const,
  chunks: (id: string) => [...all, id, "chunks"] as const,
};

/** Filter and order of documents. */
export interface DocumentList {
  filter: DocumentFilterJson;
  sort: DocumentSortJson;
  descending: boolean;
}

/** The documents that the reader may read; read again while one of them is being processed. */
export function documentsQuery(list: DocumentList) {
  return {
    ...pagedQuery(documentKeys.list(list), listDocuments, { ...list, pageSize: PAGE }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }: { state: { data?: { pages: ListDocumentsResponseJson[] } | undefined } }) =>
      state.data?.pages.some((page) => page.documents?.some(isProcessing)) ? POLL_MS : (false as const),
  };
}

/** The files directly within a document, by title; read again while one of them is being processed. */
export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: documentKeys.members(id),
    queryFn: async ({ signal }) =>
      (await listDocuments({ filter: { parentId: id }, sort: "DOCUMENT_SORT_TITLE", pageSize: 1000 }, { signal })).documents ?? [],
    refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? POLL_MS : false),
  });

/** The ids of a connector's documents in a folder, by their paths: of the first thousand. */
export const filesQuery = (connectorId: number, folder: string) =>
  queryOptions({
    queryKey: [...documentKeys.lists, "files", connectorId, folder] as const,
    queryFn: async ({ signal }) => {
      const { documents = [] } = await listDocuments({ filter: { connectorIds: [connectorId], folder }, pageSize: 1000 }, { signal });
      return documents.map(({ sourceId = "", id = "" }) => [sourceId, id] as const);
    },
    staleTime: 60_000,
  });

/** Documents whose names have all words of a query, newest first: as many as fit into a short list. */
export const namedDocumentsQuery = (query: string) => fewDocumentsQuery({ query }, 8);

/** The newest documents of connectors that can be asked about. */
export const newestDocumentsQuery = (connectorIds: number[]) => fewDocumentsQuery({ connectorIds, statuses: ["DOCUMENT_STATUS_COMPLETED"] }, 3);

/** The newest documents that can be asked about, as a sample of all. */
export const sampleDocumentsQuery = fewDocumentsQuery({ statuses: ["DOCUMENT_STATUS_COMPLETED"] }, 200);

function fewDocumentsQuery(filter: DocumentFilterJson, pageSize: number) {
  return queryOptions({
    queryKey: [...documentKeys.lists, "few", filter, pageSize] as const,
    queryFn: async ({ signal }) => (await listDocuments({ filter, sort: "DOCUMENT_SORT_ADDED", descending: true, pageSize }, { signal })).documents ?? [],
    staleTime: 60_000,
  });
}

/** Number of matching documents, in total and by property. */
export const documentCountsQuery = (filter: DocumentFilterJson) =>
  queryOptions({
    queryKey: documentKeys.counts(filter),
    queryFn: ({ signal }) => countDocuments({ filter }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The folders in a folder of a connector. */
export const foldersQuery = (connectorId: number, parent: string) =>
  queryOptions({
    queryKey: documentKeys.folders(connectorId, parent),
    queryFn: async ({ signal }) => (await listDocumentFolders({ connectorId, parent }, { signal })).folders ?? [],
    staleTime: 60_000,
  });

/** Whether a document is queued or being processed. */
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

/** A part of a document's text, in code points; the range is limited to the text. */
export const documentTextQuery = (id: string, start: number, end: number) =>
  queryOptions({
    queryKey: documentKeys.text(id, start, end),
    queryFn: ({ signal }) => getDocumentText({ id, start, end }, { signal }),
    retry: false,
  });

/** Maximum Markdown to parse at once, in code points. */
export const MARKDOWN_PART = 30_000;

/** A document's text in Markdown in parts, starting at a position; one part of plain text if there is no Markdown. */
export const documentMarkdownQuery = (id: string, from: number) =>
  infiniteQueryOptions({
    queryKey: documentKeys.markdown(id, from),
    initialPageParam: { start: from, end: from + MARKDOWN_PART },
    queryFn: ({ pageParam, signal }) => getDocumentText({ id, ...pageParam, form: "TEXT_FORM_MARKDOWN" }, { signal }),
    getPreviousPageParam: ({ start = 0 }: DocumentTextJson) => (start > 0 ? { start: Math.max(0, start - MARKDOWN_PART), end: start } : undefined),
    getNextPageParam: ({ end = 0, length = 0 }: DocumentTextJson) => (end < length ? { start: end, end: end + MARKDOWN_PART } : undefined),
    retry: false,
  });

/** A document's passages, as far as one page reaches. */
export const chunksQuery = (id: string) =>
  queryOptions({
    queryKey: documentKeys.chunks(id),
    queryFn: async ({ signal }): Promise<ChunkJson[]> => (await listDocumentChunks({ id, pageSize: 1000 }, { signal })).chunks ?? [],
    retry: false,
  });

/** A change of a document, after which the lists are read again. */
const useDocumentChange = changesOf(all);

/** Deletes a document, permanently with its passages, bytes and text before it answers. */
export function useRemoveDocument(id: string) {
  return useDocumentChange(({ isPermanent }: { isPermanent: boolean }) => (isPermanent ? purgeDocument({ id }) : deleteDocument({ id })));
}

/** Changes the title of a document. */
export function useRenameDocument(id: string) {
  return useDocumentChange((title: string) => updateDocument({ id, document: { title } }));
}

/** Deletes documents; they are found no more at once. */
export function useDeleteDocuments() {
  return useDocumentChange((selection: DocumentSelectionJson) => deleteDocuments({ selection }));
}

/** Processes documents again. */
export function useRetryDocuments() {
  return useDocumentChange((selection: DocumentSelectionJson) => retryDocuments({ selection }));
}

/** Moves documents to another collection, whose readers read them from then on. */
export function useMoveDocuments() {
  return useDocumentChange(({ selection, connectorId }: { selection: DocumentSelectionJson; connectorId: number }) =>
    moveDocuments({ selection, connectorId }),
  );
}

/** Invalidates the lists after an upload, which may have created its connector. */
export async function reloadAfterUpload(client: QueryClient): Promise<void> {
  await Promise.all([documentKeys.lists, connectorKeys.list].map((queryKey) => client.invalidateQueries({ queryKey })));
}
