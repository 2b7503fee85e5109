/** The OpenID providers that open the reader's account. */
import { queryOptions, useMutation } from "@tanstack/react-query";
import { connectProvider, listProviderConnections } from "@/api/routes";

/** The providers that people sign in at, and whether they open the reader's account. */
export const providerConnectionsQuery = queryOptions({
  queryKey: ["provider-connections"],
  queryFn: ({ signal }) => listProviderConnections(signal),
});

/** Sends the browser to a provider, where the reader proves who they are. */
export function useConnectProvider() {
  return useMutation({ mutationFn: connectProvider, onSuccess: (url) => location.assign(url) });
}
