/** Mutations after which what they have changed is read again. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/** Returns a hook for mutations, after which the queries below these keys are read again. */
export function changesOf(...keys: readonly QueryKey[]) {
  return function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
    const client = useQueryClient();
    return useMutation({
      mutationFn: (input: Input) => change(input),
      onSuccess: () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))),
    });
  };
}
