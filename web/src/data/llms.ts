/** Queries and mutations of chat models. */
import { t } from "@lingui/core/macro";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import type { ListOfferedModelsRequestJson, TestLlmSettingsRequestJson } from "@/gen/echomind/public/v1/llm_service_pb";
import { createLlm, deleteLlm, getLlm, listLlms, listOfferedModels, testLlm, testLlmSettings, updateLlm } from "@/gen/echomind/public/v1/llm_service_client";
import { formatCost } from "@/ui/format";
import { assistantKeys } from "./assistants";
import { changesOf } from "./changes";

/** The server's name for the built-in model. */
const BUILT_IN = "Built-in (quotes your documents)";

/** Query keys of chat models; a single one is below the list, so that both are refreshed together. */
export const llmKeys = { list: ["llms"] as const, one: (id: number) => ["llms", id] as const };

/** All chat models. */
export const llmsQuery = queryOptions({
  queryKey: llmKeys.list,
  queryFn: async ({ signal }) => (await readAll(listLlms, "llms", {}, signal)).map(named),
  staleTime: 60_000,
});

/** One chat model. */
export const llmQuery = (id: number) =>
  queryOptions({ queryKey: llmKeys.one(id), queryFn: async ({ signal }) => named(await getLlm({ id }, { signal })) });

/** A model with its name in the language of the page, if it is the built-in one as it was installed. */
function named(llm: LlmJson): LlmJson {
  return llm.name === BUILT_IN ? { ...llm, name: t`Built-in (quotes your documents)` } : llm;
}

/** A change of the models, after which they and the assistants that use them are read again. */
const useLlmChange = changesOf(llmKeys.list, assistantKeys.list);

/** Stores a model: a new one, or the given fields of the one with this id. */
export function useSaveLlm() {
  return useLlmChange(({ id, ...llm }: LlmJson) => (id ? updateLlm({ id, llm }) : createLlm({ llm })));
}

/** Removes a model; assistants that named it use the default one. */
export function useDeleteLlm() {
  return useLlmChange((id: number) => deleteLlm({ id }));
}

/** Tests a stored model with a short question. */
export function useTestLlm() {
  return useMutation({ mutationFn: (id: number) => testLlm({ id }) });
}

/** Tests unsaved settings of a model with a short question. */
export function useTestLlmSettings() {
  return useMutation({ mutationFn: (settings: TestLlmSettingsRequestJson) => testLlmSettings(settings) });
}

/** Asks a provider's server which models it offers. */
export function useOfferedModels() {
  return useMutation({ mutationFn: (server: ListOfferedModelsRequestJson) => listOfferedModels(server) });
}

/** Whether answers of a model cost nothing: it is built in, or its prices are set to 0. */
export function isFree(llm: LlmJson | undefined): boolean {
  return llm?.provider === "LLM_PROVIDER_EXTRACTIVE" || (llm?.inputPrice === 0 && llm.outputPrice === 0);
}

/** A cost in words: without a known price it is unknown, and of a free model nothing. */
export function costWords(usd: number, tokens: number, llm: LlmJson | undefined): string {
  if (usd > 0 || tokens === 0) return formatCost(usd);
  return isFree(llm) ? t`free` : t`unknown`;
}
