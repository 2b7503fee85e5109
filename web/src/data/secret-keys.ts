/** The keys that encrypt stored secrets; for superadmins. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { createSecretKey, listSecretKeys, reencryptSecrets, retireSecretKeys } from "@/gen/echomind/public/v1/secret_key_service_client";

const LIST = ["secret-keys"] as const;

/** The keys, the primary one first, with how many stored secrets are encrypted with each. */
export const secretKeysQuery = queryOptions({ queryKey: LIST, queryFn: ({ signal }) => listSecretKeys({}, { signal }) });

/** Encrypts all stored secrets with the primary key, or with a new one; returns how many it encrypted. */
export function useRotateSecretKeys() {
  return useChange(async ({ newKey }: { newKey: boolean }) => {
    if (newKey) await createSecretKey({});
    for (let count = 0; ; ) {
      const step = await reencryptSecrets({});
      count += step.reencryptedCount ?? 0;
      if (step.isComplete) return count;
    }
  });
}

/** Removes the keys that no stored secret needs; returns how many. */
export function useRetireSecretKeys() {
  return useChange(async () => (await retireSecretKeys({})).secretKeys?.length ?? 0);
}

function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => client.invalidateQueries({ queryKey: LIST }) });
}
