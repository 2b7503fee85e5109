/** Paginated lists. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import type { Call } from "./call";

/** The most items that a page may have. */
const LARGEST = 1000;

/** Fields of every paged request. */
interface PageRequest {
  pageSize?: number;
  pageToken?: string;
}

/** Properties of every page. */
interface Page {
  nextPageToken?: string;
}

/** The fields of a page that hold items. */
type ListOf<Response> = { [Name in keyof Response]-?: NonNullable<Response[Name]> extends unknown[] ? Name : never }[keyof Response];

/** The content of a page's field. */
type ItemOf<Response, Name extends keyof Response> = NonNullable<Response[Name]> extends (infer Item)[] ? Item : never;

/** Query options of a paginated list. */
export function pagedQuery<Request extends PageRequest, Response extends Page>(
  queryKey: QueryKey,
  list: Call<Request, Response>,
  request: Request,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => list({ ...request, pageToken: pageParam }, { signal }),
    getNextPageParam: (page) => page.nextPageToken || undefined,
  });
}

/**
 * Reads a list to its end.
 *
 * @param field The field of a page that holds its items.
 */
export async function readAll<Request extends PageRequest, Response extends Page, Name extends ListOf<Response>>(
  list: Call<Request, Response>,
  field: Name,
  request: Request,
  signal: AbortSignal,
): Promise<ItemOf<Response, Name>[]> {
  const items: ItemOf<Response, Name>[] = [];
  let pageToken = "";
  do {
    const page = await list({ ...request, pageSize: LARGEST, pageToken }, { signal });
    items.push(...((page[field] ?? []) as ItemOf<Response, Name>[]));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return items;
}
