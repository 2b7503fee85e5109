/** People and groups that the user can share with. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { searchDirectory } from "@/gen/echomind/public/v1/directory_service_client";

/** A person or a group that was chosen. */
export type Recipient =
  | { kind: "person"; id: number; name: string; userName: string }
  | { kind: "group"; id: number; name: string; memberCount: number; displayName?: string };

/** Those whose names contain a text; nobody for an empty one. */
export const directoryQuery = (query: string) =>
  queryOptions({
    queryKey: ["directory", query],
    queryFn: ({ signal }) => searchDirectory({ query }, { signal }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
