/** Dead letters: background jobs that failed for good; for superadmins. */
import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import { discardDeadLetter, listDeadLetters, replayDeadLetter } from "@/gen/echomind/public/v1/dead_letter_service_client";

const LIST = ["dead-letters"] as const;

/** Dead letters, the newest jobs first. */
export const deadLettersQuery = infiniteQueryOptions(pagedQuery(LIST, listDeadLetters, { pageSize: 100 }));

/** Puts a dead letter back into its queue. */
export function useReplayDeadLetter() {
  return useChange((id: string) => replayDeadLetter({ id }));
}

/** Takes a dead letter off the list. */
export function useDiscardDeadLetter() {
  return useChange((id: string) => discardDeadLetter({ id }));
}

function useChange<Result>(change: (id: string) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all([LIST, ["system", "health"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
