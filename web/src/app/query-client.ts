import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import { userKeys } from "@/data/users";
import { connection, onConnectionChange } from "@/ui/connection";

const RETRIES = 2;

/** Creates the query cache. When the session has ended, the sign-in page is shown. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) client.setQueryData(userKeys.current, null);
  };
  const client = new QueryClient({
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
