/** Queries and mutations of the user's API keys. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import { createApiKey, deleteApiKey, listApiKeys, rotateApiKey, setApiKeyQuotas } from "@/gen/echomind/public/v1/api_key_service_client";
import type { CreateApiKeyRequestJson, RotateApiKeyRequestJson, SetApiKeyQuotasRequestJson } from "@/gen/echomind/public/v1/api_key_service_pb";
import { changesOf } from "./changes";

/** Query keys of API keys. */
export const apiKeyKeys = { list: ["api-keys"] as const };

/** The reader's keys, newest first, without their secrets. */
export const apiKeysQuery = queryOptions({
  queryKey: apiKeyKeys.list,
  queryFn: ({ signal }) => readAll(listApiKeys, "apiKeys", {}, signal),
});

/** A change of the keys, which are read again. */
const useApiKeyChange = changesOf(apiKeyKeys.list);

/** Creates a key; its secret is in this answer and never again. */
export function useCreateApiKey() {
  return useApiKeyChange((key: CreateApiKeyRequestJson) => createApiKey(key));
}

/** Gives a key another secret, which is in this answer and never again. */
export function useRotateApiKey() {
  return useApiKeyChange((rotation: RotateApiKeyRequestJson & { id: number }) => rotateApiKey(rotation));
}

/** Replaces the quotas and limits of a key. */
export function useLimitApiKey() {
  return useApiKeyChange((limits: SetApiKeyQuotasRequestJson & { id: number }) => setApiKeyQuotas(limits));
}

/** Revokes a key, and the keys that were created with it. */
export function useRevokeApiKey() {
  return useApiKeyChange((id: number) => deleteApiKey({ id }));
}
