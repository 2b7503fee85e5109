/** Assistants: which ones the reader may use, and which one answers. */
import { infiniteQueryOptions, queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import {
  createAssistant,
  deleteAssistant,
  diffAssistantVersions,
  duplicateAssistant,
  getAssistant,
  listAssistants,
  listAssistantTools,
  listAssistantVersions,
  restoreAssistantVersion,
  saveAssistantDraft,
  updateAssistant,
} from "@/gen/echomind/public/v1/assistant_service_client";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { changesOf } from "./changes";
import { useCurrentUser } from "./users";

/** Query keys of assistants. */
export const assistantKeys = {
  list: ["assistants"] as const,
  one: (id: number) => ["assistants", id] as const,
  versions: (id: number) => ["assistants", id, "versions"] as const,
  difference: (id: number, base: number, version: number) => ["assistants", id, "versions", base, version] as const,
  knownTools: ["assistant-tools"] as const,
};

/** All assistants that the reader may use, in the order to show them. */
export const assistantsQuery = queryOptions({
  queryKey: assistantKeys.list,
  queryFn: ({ signal }) => readAll(listAssistants, "assistants", {}, signal),
  staleTime: 60_000,
});

/** One assistant. */
export const assistantQuery = (id: number) =>
  queryOptions({ queryKey: assistantKeys.one(id), queryFn: ({ signal }) => getAssistant({ id }, { signal }) });

/** The built-in tools that an assistant can have: those of a draft that selects none. */
export const knownToolsQuery = queryOptions({
  queryKey: assistantKeys.knownTools,
  queryFn: async ({ signal }) => {
    const { id = 0 } = await saveAssistantDraft({ assistant: { name: "tools" } }, { signal });
    return (await listAssistantTools({ id }, { signal })).tools ?? [];
  },
  staleTime: Infinity,
});

/** The tools of the reader's assistants that conversations in a notebook have only if it allows them, each once. */
export const notebookToolsQuery = (assistantIds: readonly number[]) =>
  queryOptions({
    queryKey: [...assistantKeys.knownTools, "notebook", ...assistantIds],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(assistantIds.map((id) => listAssistantTools({ id }, { signal })));
      const tools = lists.flatMap((list) => list.tools ?? []).filter((tool) => tool.needsNotebookPermission);
      return [...new Map(tools.map((tool) => [tool.name ?? "", tool])).values()];
    },
    staleTime: 60_000,
  });

/** The versions of an assistant, newest first, page by page. */
export const assistantVersionsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: assistantKeys.versions(id),
    queryFn: ({ pageParam, signal }) => listAssistantVersions({ id, pageSize: 20, pageToken: pageParam }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
  });

/** Differences between two versions of an assistant; `base` 0 means the previous one. */
export const assistantDifferenceQuery = (id: number, base: number, version: number) =>
  queryOptions({
    queryKey: assistantKeys.difference(id, base, version),
    queryFn: async ({ signal }) => (await diffAssistantVersions({ id, baseVersion: base, version }, { signal })).changes ?? [],
    staleTime: Infinity,
  });

/** A change of the assistants, which are read again. */
const useAssistantChange = changesOf(assistantKeys.list);

/** Restores a version of an assistant. */
export function useRestoreVersion() {
  return useAssistantChange((request: { id: number; version: number }) => restoreAssistantVersion(request));
}

/** Stores an assistant: a new one, or the given fields of the one with this id. */
export function useSaveAssistant() {
  return useAssistantChange(({ id, ...assistant }: AssistantJson) =>
    id ? updateAssistant({ id, assistant }) : createAssistant({ assistant }),
  );
}

/** Adds a hidden copy of an assistant. */
export function useDuplicateAssistant() {
  return useAssistantChange((copy: { id: number; name: string }) => duplicateAssistant(copy));
}

/** Removes an assistant. */
export function useDeleteAssistant() {
  return useAssistantChange((id: number) => deleteAssistant({ id }));
}

/** Stores a configuration to try it before it is saved, as a draft of the assistant with this id (0: of a new one). */
export function useSaveDraft() {
  return useMutation({ mutationFn: (draft: { id: number; assistant: AssistantJson }) => saveAssistantDraft(draft) });
}

/** Lists the tools of a configuration as it is, by its draft; for tests of MCP servers before they are saved. */
export function useTryTools(id: number) {
  const draft = useSaveDraft();
  return useMutation({
    mutationFn: async (assistant: AssistantJson) => {
      const { id: draftId = 0 } = await draft.mutateAsync({ id, assistant });
      return listAssistantTools({ id: draftId });
    },
  });
}

/**
 * The assistant with an id; 0 means the one of new conversations: the preferred one, or else the default one. Undefined
 * if it was removed or is hidden from the user.
 */
function assistantOf(assistants: readonly AssistantJson[], id: number, preferred = 0): AssistantJson | undefined {
  const named = assistants.find((assistant) => assistant.id === (id || preferred));
  return named ?? (id ? undefined : assistants.find(({ isDefault }) => isDefault));
}

/** The assistants that the reader may use, and the one with an id, see `assistantOf`. */
export function useAssistants(id: number) {
  const { data: assistants = [], isSuccess } = useQuery(assistantsQuery);
  const preferred = useCurrentUser().preferences?.defaultAssistantId;
  return { assistants, isSuccess, assistant: assistantOf(assistants, id, preferred) };
}

/** The model that answers: the preferred one (0: none), as long as it can be chosen, otherwise the assistant's. */
export function llmOf(assistant: AssistantJson | undefined, llms: readonly LlmJson[], preferred = 0): LlmJson | undefined {
  const chosen = llms.find(({ id, isActive }) => isActive && id === preferred);
  if (chosen) return chosen;
  const named = assistant?.llmId ? llms.find((llm) => llm.id === assistant.llmId) : undefined;
  return named ?? llms.find((llm) => llm.isDefault);
}
