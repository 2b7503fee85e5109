/** Lists that come in pages. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { request } from "./http";

type Query = Record<string, string | number | undefined>;

/** A page of any list. */
export interface Page {
  nextPageToken?: string;
}

/** A list that is read page by page as its reader goes on. */
export function pagedQuery<P extends Page>(queryKey: QueryKey, path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => request<P>("GET", path, { query: { ...query, pageToken: pageParam }, signal }),
    getNextPageParam: (page) => page.nextPageToken || undefined,
  });
}

/** Reads a list to its end. */
export async function readAll<P extends Page, T>(
  path: string,
  query: Query,
  itemsOf: (page: P) => T[] | undefined,
  signal: AbortSignal,
): Promise<T[]> {
  const items: T[] = [];
  let pageToken = "";
  do {
    const page = await request<P>("GET", path, { query: { ...query, pageSize: 1000, pageToken }, signal });
    items.push(...(itemsOf(page) ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return items;
}
