/** Queries and mutations of service accounts and their keys. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { ServiceAccountJson } from "@/gen/echomind/public/v1/service_account_pb";
import {
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  deleteServiceAccountKey,
  getServiceAccount,
  listServiceAccountKeys,
  listServiceAccounts,
  rotateServiceAccountKey,
  setServiceAccountKeyQuotas,
  updateServiceAccount,
} from "@/gen/echomind/public/v1/service_account_service_client";
import { changesOf } from "./changes";

const ALL = ["service-accounts"] as const;

/** The service accounts that the reader sees, by name. */
export const serviceAccountsQuery = queryOptions({
  queryKey: [...ALL, "list"],
  queryFn: ({ signal }) => readAll(listServiceAccounts, "serviceAccounts", {}, signal),
});

/** One service account. */
export function serviceAccountQuery(id: string) {
  return queryOptions({ queryKey: [...ALL, id], queryFn: ({ signal }) => getServiceAccount({ id }, { signal }) });
}

/** The keys of a service account, newest first, for those who manage it. */
export function serviceAccountKeysQuery(id: number) {
  return queryOptions({
    queryKey: [...ALL, id, "keys"],
    queryFn: ({ signal }) => readAll(listServiceAccountKeys, "apiKeys", { id }, signal),
  });
}

const useChange = changesOf(ALL);

/** Creates a service account, or changes the given fields of the one with this id. */
export function useSaveServiceAccount() {
  return useChange(({ id, ...serviceAccount }: ServiceAccountJson) =>
    id ? updateServiceAccount({ id, serviceAccount }) : createServiceAccount({ serviceAccount }),
  );
}

/** Deletes a service account permanently. */
export function useDeleteServiceAccount() {
  return useChange((id: number) => deleteServiceAccount({ id }));
}

/** Creates a key of a service account; its secret is in this answer and never again. */
export function useCreateServiceAccountKey() {
  return useChange(createServiceAccountKey);
}

/** Gives a key another secret, which is in this answer and never again. */
export function useRotateServiceAccountKey() {
  return useChange(rotateServiceAccountKey);
}

/** Replaces the quotas and limits of a key. */
export function useLimitServiceAccountKey() {
  return useChange(setServiceAccountKeyQuotas);
}

/** Revokes a key, and the keys that were created with it. */
export function useRevokeServiceAccountKey() {
  return useChange(deleteServiceAccountKey);
}
