/** Dead letters: background jobs that failed for good; for superadmins. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import { discardDeadLetter, listDeadLetters, replayDeadLetter } from "@/gen/echomind/public/v1/dead_letter_service_client";
import { changesOf } from "./changes";

const LIST = ["dead-letters"] as const;

/** Dead letters, the newest jobs first. */
export const deadLettersQuery = infiniteQueryOptions(pagedQuery(LIST, listDeadLetters, { pageSize: 100 }));

const useChange = changesOf(LIST, ["system", "health"]);

/** Puts a dead letter back into its queue. */
export function useReplayDeadLetter() {
  return useChange((id: string) => replayDeadLetter({ id }));
}

/** Takes a dead letter off the list. */
export function useDiscardDeadLetter() {
  return useChange((id: string) => discardDeadLetter({ id }));
}
