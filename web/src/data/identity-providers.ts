/** Queries and mutations of OpenID providers. */
import { queryOptions, useMutation } from "@tanstack/react-query";
import type { IdentityProviderJson } from "@/gen/echomind/public/v1/identity_provider_pb";
import {
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  testIdentityProvider,
  updateIdentityProvider,
} from "@/gen/echomind/public/v1/identity_provider_service_client";
import { changesOf } from "./changes";

const list = ["identity-providers"] as const;

/** All providers, with those of the settings. */
export const identityProvidersQuery = queryOptions({
  queryKey: list,
  queryFn: async ({ signal }) => (await listIdentityProviders({}, { signal })).identityProviders ?? [],
});

const useProviderChange = changesOf(list);

/** Stores a provider: a new one, or the given fields of the one with this id. */
export function useSaveIdentityProvider() {
  return useProviderChange(({ id, ...identityProvider }: IdentityProviderJson) =>
    id ? updateIdentityProvider({ id, identityProvider }) : createIdentityProvider({ identityProvider }),
  );
}

/** Removes a provider. */
export function useDeleteIdentityProvider() {
  return useProviderChange((id: number) => deleteIdentityProvider({ id }));
}

/** Tests whether a provider answers. */
export function useTestIdentityProvider() {
  return useMutation({ mutationFn: (name: string) => testIdentityProvider({ name }) });
}
