import { costWords } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";

/** The cost of usage in words; `llm` is the model that all of it is of, if it is of one. */
export function costOf({ cost, promptTokens, completionTokens }: UsageJson, llm?: LlmJson): string {
  return costWords(Number(cost ?? 0), Number(promptTokens ?? 0) + Number(completionTokens ?? 0), llm);
}
