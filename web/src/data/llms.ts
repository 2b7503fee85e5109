/** Chat models: what is read of them, and how they change. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { createLlm, deleteLlm, listLlms, testLlm, updateLlm } from "@/gen/echomind/public/v1/llm_service_client";

/** Where chat models are kept. */
export const llmKeys = { list: ["llms"] as const };

/** All chat models. */
export const llmsQuery = queryOptions({
  queryKey: llmKeys.list,
  queryFn: ({ signal }) => readAll(listLlms, "llms", {}, signal),
  staleTime: 60_000,
});

/** Stores a model: a new one, or the given fields of the one with this id. */
export function useSaveLlm() {
  return useLlmChange(({ id, ...llm }: LlmJson) => (id ? updateLlm({ id, llm }) : createLlm({ llm })));
}

/** Removes a model. */
export function useDeleteLlm() {
  return useLlmChange((id: number) => deleteLlm({ id }));
}

/** Asks a model a tiny question. */
export function useTestLlm() {
  return useMutation({ mutationFn: (id: number) => testLlm({ id }) });
}

/** A change of the models, which are read again. */
function useLlmChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: llmKeys.list }) });
}
