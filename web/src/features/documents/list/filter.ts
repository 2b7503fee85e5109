/** The page's filter, in its URL and in requests. */
import type { DocumentFilterJson, DocumentKindJson, DocumentSortJson, DocumentStatusJson } from "@/gen/echomind/public/v1/document_pb";
import { many, oneOf, text, texts } from "@/ui/search-state";
import type { Sort } from "@/ui/table/columns";

const STATUSES = ["completed", "processing", "pending", "failed"] as const;
const KINDS = ["pdf", "word", "spreadsheet", "presentation", "text", "web_page", "email", "image", "archive", "other"] as const;
const VISIBLE = ["any", "me", "group", "everyone"] as const;
const SORTS = ["-added", "added", "title", "-title", "size", "-size"] as const;

/** A value in the URL for a status, a type, a visibility, or an order. */
export type StatusWord = (typeof STATUSES)[number];
export type KindWord = (typeof KINDS)[number];
export type VisibleWord = (typeof VISIBLE)[number];

/** State of the list in the URL. */
export interface ListState {
  q: string;
  status: readonly StatusWord[];
  type: readonly KindWord[];
  source: readonly string[];
  folder: string;
  visible: VisibleWord;
  sort: (typeof SORTS)[number];
}

/** Its name in the URL. */
export const CODECS = {
  q: text(),
  status: many(STATUSES),
  type: many(KINDS),
  source: texts(),
  folder: text(),
  visible: oneOf(VISIBLE, "any"),
  sort: oneOf(SORTS, "-added"),
};

/** Resets all filters. */
export const NO_FILTER = { q: "", status: [], type: [], source: [], folder: "", visible: "any" } as const satisfies Partial<ListState>;

const SCOPES = { any: undefined, me: "SCOPE_USER", group: "SCOPE_GROUP", everyone: "SCOPE_ORG" } as const;
const COLUMNS: Record<string, DocumentSortJson> = {
  added: "DOCUMENT_SORT_ADDED",
  title: "DOCUMENT_SORT_TITLE",
  size: "DOCUMENT_SORT_SIZE",
};

/** The proto name of a word. */
export const statusOf = (word: StatusWord) => `DOCUMENT_STATUS_${word.toUpperCase()}` as DocumentStatusJson;
export const kindOf = (word: KindWord) => `DOCUMENT_KIND_${word.toUpperCase()}` as DocumentKindJson;

/** The filter for the server. */
export function filterOf({ q, status, type, source, folder, visible }: ListState): DocumentFilterJson {
  const scope = SCOPES[visible];
  return {
    ...(q.trim() && { query: q.trim() }),
    ...(status.length > 0 && { statuses: status.map(statusOf) }),
    ...(type.length > 0 && { kinds: type.map(kindOf) }),
    ...(source.length > 0 && { connectorIds: source.map(Number).filter((id) => id > 0) }),
    ...(folder && { folder }),
    ...(scope && { scope }),
  };
}

/** The order for the server. */
export function orderOf({ sort }: Pick<ListState, "sort">): { sort: DocumentSortJson; descending: boolean } {
  return { sort: COLUMNS[sort.replace("-", "")] ?? "DOCUMENT_SORT_UNSPECIFIED", descending: sort.startsWith("-") };
}

/** The order as the table shows it, and back. */
export function toSort(word: ListState["sort"]): Sort {
  return { column: word.replace("-", ""), direction: word.startsWith("-") ? "desc" : "asc" };
}

export function fromSort({ column, direction }: Sort): ListState["sort"] {
  return SORTS.find((word) => word === (direction === "desc" ? `-${column}` : column)) ?? "-added";
}
