import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";

/** All assistants that the reader may use, in the order to show them. */
export const assistantsQuery = queryOptions({
  queryKey: ["assistants"],
  queryFn: ({ signal }) => readAll<AssistantJson>("/api/v1/assistants", "assistants", {}, signal),
  staleTime: 60_000,
});

/** The assistant with an id; 0 means the default one. */
export function assistantOf(assistants: readonly AssistantJson[], id: number): AssistantJson | undefined {
  return assistants.find((assistant) => (id ? assistant.id === id : assistant.isDefault));
}

/** The model that an assistant answers with. */
export function llmOf(assistant: AssistantJson | undefined, llms: readonly LlmJson[]): LlmJson | undefined {
  const named = assistant?.llmId ? llms.find((llm) => llm.id === assistant.llmId) : undefined;
  return named ?? llms.find((llm) => llm.isDefault);
}
