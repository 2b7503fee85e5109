/** Searching passages without a model. */
import { queryOptions } from "@tanstack/react-query";
import { search } from "@/gen/echomind/public/v1/search_service_client";
import type { SearchRequestJson } from "@/gen/echomind/public/v1/search_service_pb";

/** The passages that fit best, best first, and what the search or its reranker could not do; POST, as a query may be longer than an address. */
export const searchQuery = (request: SearchRequestJson) =>
  queryOptions({
    queryKey: ["search", request] as const,
    queryFn: async ({ signal }) => {
      const { hits = [], missing = "", unranked = "" } = await search(request, { signal });
      return { hits, missing, unranked };
    },
    staleTime: 60_000,
  });
