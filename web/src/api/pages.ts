/** Lists that come in pages. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { request, type Query } from "./http";

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

/**
 * Reads a list to its end.
 *
 * @param field The field of a page that holds its items, each a `T`.
 */
export async function readAll<T>(path: string, field: string, query: Query, signal: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let pageToken = "";
  do {
    const options = { query: { ...query, pageSize: 1000, pageToken }, signal };
    const page = await request<Page & Record<string, T[] | undefined>>("GET", path, options);
    items.push(...(page[field] ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return items;
}
