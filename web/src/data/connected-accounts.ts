/** The reader's own accounts at other services, which connectors read with. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import { disconnectAccount, listConnectedAccounts } from "@/gen/echomind/public/v1/connector_service_client";
import { changesOf } from "./changes";
import { connectorKeys } from "./connectors";

const KEY = ["connected-accounts"] as const;

/** The reader's own accounts that connectors read with. */
export const connectedAccountsQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => readAll(listConnectedAccounts, "accounts", {}, signal),
});

/** Takes a sign-in of the reader's back. */
export function useDisconnectAccount() {
  return useAccountChange((id: number) => disconnectAccount({ id }));
}

const useAccountChange = changesOf(KEY, connectorKeys.list);
