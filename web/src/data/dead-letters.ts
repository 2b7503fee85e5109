/** Dead letters: background jobs that failed for good; for superadmins. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import { discardDeadLetter, listDeadLetters, replayDeadLetter } from "@/gen/echomind/public/v1/dead_letter_service_client";
import { changesOf } from "./changes";

const LIST = ["dead-letters"] as const;

/** Dead letters of a kind, or all if it is empty, the newest jobs first. */
export function deadLettersQuery(kind: string) {
  return infiniteQueryOptions(pagedQuery([...LIST, kind], listDeadLetters, { pageSize: 100, kind }));
}

const useChange = changesOf(LIST, ["system", "health"]);

/** Puts a dead letter back into its queue. */
export function useReplayDeadLetter() {
  return useChange((id: string) => replayDeadLetter({ id }));
}

/** Takes a dead letter off the list. */
export function useDiscardDeadLetter() {
  return useChange((id: string) => discardDeadLetter({ id }));
}

/** Calls a method for each dead letter of a kind, or for all; returns their number. */
async function forEach(call: (request: { id: string }) => Promise<unknown>, kind: string): Promise<number> {
  const letters = await readAll(listDeadLetters, "deadLetters", { kind }, new AbortController().signal);
  for (const { id = "" } of letters) await call({ id });
  return letters.length;
}

/** Puts all dead letters of a kind back into their queue, or all of them; returns their number. */
export function useReplayDeadLetters() {
  return useChange((kind: string) => forEach(replayDeadLetter, kind));
}

/** Takes all dead letters of a kind off the list, or all of them; returns their number. */
export function useDiscardDeadLetters() {
  return useChange((kind: string) => forEach(discardDeadLetter, kind));
}
