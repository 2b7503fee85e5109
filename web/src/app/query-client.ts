import { type InvalidateOptions, type InvalidateQueryFilters, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import { userKeys } from "@/data/users";
import { connection, onConnectionChange } from "@/ui/connection";

const RETRIES = 2;

/** Reads again after a change what is shown, also where the first answer is still on its way: it may be older than the change. */
class CurrentQueryClient extends QueryClient {
  override invalidateQueries(filters?: InvalidateQueryFilters, options?: InvalidateOptions): Promise<void> {
    if (filters?.refetchType !== "none") {
      // The library itself asks again only where there is an earlier answer.
      for (const query of this.getQueryCache().findAll({ ...filters, type: "active", fetchStatus: "fetching" })) {
        if (query.state.data === undefined) void query.cancel({ silent: true });
      }
    }
    return super.invalidateQueries(filters, options);
  }
}

/** Creates the query cache. When the session has ended, the sign-in page is shown. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) client.setQueryData(userKeys.current, null);
  };
  const client = new CurrentQueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => error instanceof ApiError && error.isTransient && failures < RETRIES,
      },
    },
  });
  // What could not be read without a connection is read when it is back.
  onConnectionChange(() => {
    if (connection() === "online") void client.refetchQueries({ predicate: ({ state }) => state.error instanceof ApiError && state.error.code === "UNREACHABLE" });
  });
  return client;
}
