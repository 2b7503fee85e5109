import type { LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";

/** How one connects to a provider. */
export interface ProviderHelp {
  value: LlmProviderJson;
  label: string;
  modelExample: string;
  /** The address to suggest; empty when the provider's own is the usual one. */
  endpointExample: string;
  needsEndpoint: boolean;
  needsKey: boolean;
}

/** The providers that a person can connect. */
export const PROVIDERS: readonly ProviderHelp[] = [
  {
    value: "LLM_PROVIDER_OPENAI",
    label: "OpenAI, or a compatible server",
    modelExample: "gpt-4o-mini",
    endpointExample: "https://api.openai.com/v1",
    needsEndpoint: false,
    needsKey: true,
  },
  {
    value: "LLM_PROVIDER_ANTHROPIC",
    label: "Anthropic",
    modelExample: "claude-sonnet-4-5",
    endpointExample: "https://api.anthropic.com",
    needsEndpoint: false,
    needsKey: true,
  },
  {
    value: "LLM_PROVIDER_OLLAMA",
    label: "Ollama",
    modelExample: "llama3.1:8b",
    endpointExample: "http://localhost:11434/v1",
    needsEndpoint: false,
    needsKey: false,
  },
  {
    value: "LLM_PROVIDER_VLLM",
    label: "vLLM",
    modelExample: "Qwen/Qwen3-8B",
    endpointExample: "http://localhost:8000/v1",
    needsEndpoint: true,
    needsKey: false,
  },
  {
    value: "LLM_PROVIDER_TGI",
    label: "Hugging Face TGI",
    modelExample: "tgi",
    endpointExample: "http://localhost:3000/v1",
    needsEndpoint: true,
    needsKey: false,
  },
];

/** What a provider is called. */
export function providerLabel(provider: LlmProviderJson | undefined): string {
  return PROVIDERS.find(({ value }) => value === provider)?.label ?? "";
}
