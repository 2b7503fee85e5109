import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";

/** Connection settings of a provider. */
export interface ProviderHelp {
  value: LlmProviderJson;
  label: MessageDescriptor;
  modelExample: string;
  /** The address to suggest. */
  endpointExample: string;
  needsEndpoint: boolean;
  needsKey: boolean;
}

/** The providers that a person can connect. */
export const PROVIDERS: readonly ProviderHelp[] = [
  {
    value: "LLM_PROVIDER_OPENAI",
    label: msg`OpenAI, or a compatible server`,
    modelExample: "gpt-4o-mini",
    endpointExample: "https://api.openai.com/v1",
    needsEndpoint: false,
    needsKey: true,
  },
  {
    value: "LLM_PROVIDER_ANTHROPIC",
    label: msg`Anthropic`,
    modelExample: "claude-sonnet-4-5",
    endpointExample: "https://api.anthropic.com",
    needsEndpoint: false,
    needsKey: true,
  },
  {
    value: "LLM_PROVIDER_OLLAMA",
    label: msg`Ollama`,
    modelExample: "llama3.1:8b",
    endpointExample: "http://localhost:11434/v1",
    needsEndpoint: false,
    needsKey: false,
  },
  {
    value: "LLM_PROVIDER_VLLM",
    label: msg`vLLM`,
    modelExample: "Qwen/Qwen3-8B",
    endpointExample: "http://localhost:8000/v1",
    needsEndpoint: true,
    needsKey: false,
  },
  {
    value: "LLM_PROVIDER_TGI",
    label: msg`Hugging Face TGI`,
    modelExample: "tgi",
    endpointExample: "http://localhost:3000/v1",
    needsEndpoint: true,
    needsKey: false,
  },
];

/** Connection settings of a provider; the built-in model has none. */
export function providerHelp(provider: LlmProviderJson | undefined): ProviderHelp | undefined {
  return PROVIDERS.find(({ value }) => value === provider);
}
