/** Queries and mutations of SCIM clients. */
import { queryOptions } from "@tanstack/react-query";
import type { ScimClientJson } from "@/gen/echomind/public/v1/scim_client_pb";
import {
  createScimClient,
  createScimToken,
  deleteScimClient,
  deleteScimToken,
  listScimClients,
} from "@/gen/echomind/public/v1/scim_client_service_client";
import { changesOf } from "./changes";

const list = ["scim-clients"] as const;

/** All clients. */
export const scimClientsQuery = queryOptions({
  queryKey: list,
  queryFn: async ({ signal }) => (await listScimClients({}, { signal })).scimClients ?? [],
});

const useClientChange = changesOf(list);

/** Adds a client. */
export function useCreateScimClient() {
  return useClientChange((scimClient: ScimClientJson) => createScimClient({ scimClient }));
}

/** Removes a client. */
export function useDeleteScimClient() {
  return useClientChange((id: number) => deleteScimClient({ id }));
}

/** Makes a token of a client, whose secret is in the answer alone. */
export function useCreateScimToken() {
  return useClientChange((request: { id: number; expiresAt: string }) => createScimToken(request));
}

/** Removes a token of a client. */
export function useDeleteScimToken() {
  return useClientChange(({ id, tokenId }: { id: number; tokenId: number }) => deleteScimToken({ id, tokenId }));
}
