/** Assistants: which ones the reader may use, and which one answers. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import { listAssistants } from "@/gen/echomind/public/v1/assistant_service_client";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { useCurrentUser } from "./users";

/** Where assistants are kept. */
export const assistantKeys = { list: ["assistants"] as const };

/** All assistants that the reader may use, in the order to show them. */
export const assistantsQuery = queryOptions({
  queryKey: assistantKeys.list,
  queryFn: ({ signal }) => readAll(listAssistants, "assistants", {}, signal),
  staleTime: 60_000,
});

/**
 * The assistant with an id; 0 means the one of new conversations: the preferred one, or else the default one.
 * None when it was removed, or is hidden from the reader.
 */
export function assistantOf(assistants: readonly AssistantJson[], id: number, preferred = 0): AssistantJson | undefined {
  const named = assistants.find((assistant) => assistant.id === (id || preferred));
  return named ?? (id ? undefined : assistants.find(({ isDefault }) => isDefault));
}

/** The assistants that the reader may use, and the one with an id, see `assistantOf`. */
export function useAssistants(id: number) {
  const { data: assistants = [], isSuccess } = useQuery(assistantsQuery);
  const preferred = useCurrentUser().preferences?.defaultAssistantId;
  return { assistants, isSuccess, assistant: assistantOf(assistants, id, preferred) };
}

/** The model that an assistant answers with. */
export function llmOf(assistant: AssistantJson | undefined, llms: readonly LlmJson[]): LlmJson | undefined {
  const named = assistant?.llmId ? llms.find((llm) => llm.id === assistant.llmId) : undefined;
  return named ?? llms.find((llm) => llm.isDefault);
}
