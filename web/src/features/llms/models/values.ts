/** The form values of a chat model: texts, empty for defaults of the provider or the price list. */
import type { LlmJson, LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";

export interface ModelValues {
  name: string;
  provider: LlmProviderJson;
  modelId: string;
  endpoint: string;
  apiKey: string;
  contextTokens: string;
  maxTokens: string;
  temperature: string;
  inputPrice: string;
  outputPrice: string;
  isActive: boolean;
}

const text = (value: number | string | undefined) => (value === undefined ? "" : String(value));
const optional = (value: string) => (value.trim() === "" ? undefined : Number(value));

/** Returns the values of a stored model; its key is never known. */
export function valuesOf(llm: LlmJson): ModelValues {
  return {
    name: llm.name ?? "",
    provider: llm.provider ?? "LLM_PROVIDER_OPENAI",
    modelId: llm.modelId ?? "",
    endpoint: llm.endpoint ?? "",
    apiKey: "",
    contextTokens: text(llm.contextTokens || undefined),
    maxTokens: text(llm.maxTokens || undefined),
    temperature: text(llm.temperature),
    inputPrice: text(llm.inputPrice),
    outputPrice: text(llm.outputPrice),
    isActive: llm.isActive ?? false,
  };
}

/** Returns the model with all of these values. A blank key is omitted, which keeps the stored one. */
export function llmOfValues(values: ModelValues): LlmJson {
  return {
    name: values.name.trim(),
    provider: values.provider,
    modelId: values.modelId.trim(),
    endpoint: values.endpoint.trim(),
    ...(values.apiKey && { apiKey: values.apiKey }),
    contextTokens: Number(values.contextTokens),
    maxTokens: Number(values.maxTokens),
    // Null in the request clears a stored value.
    temperature: optional(values.temperature) ?? null,
    inputPrice: optional(values.inputPrice) ?? null,
    outputPrice: optional(values.outputPrice) ?? null,
    isActive: values.isActive,
  } as LlmJson;
}
