/** Queries and mutations of rerankers. */
import { queryOptions, useMutation } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { RerankerJson } from "@/gen/echomind/public/v1/reranker_pb";
import { createReranker, deleteReranker, listRerankers, testReranker, updateReranker } from "@/gen/echomind/public/v1/reranker_service_client";
import { changesOf } from "./changes";

const LIST = ["rerankers"] as const;

/** All rerankers. */
export const rerankersQuery = queryOptions({
  queryKey: LIST,
  queryFn: ({ signal }) => readAll(listRerankers, "rerankers", {}, signal),
});

const useChange = changesOf(LIST);

/** Stores a reranker: a new one, or the given fields of the one with this id. One that becomes active is tested first. */
export function useSaveReranker() {
  return useChange(({ id, ...reranker }: RerankerJson) => (id ? updateReranker({ id, reranker }) : createReranker({ reranker })));
}

/** Removes a reranker. */
export function useDeleteReranker() {
  return useChange((id: number) => deleteReranker({ id }));
}

/** Lets a stored reranker order the passages of some questions. */
export function useTestReranker() {
  return useMutation({ mutationFn: (id: number) => testReranker({ id }) });
}
