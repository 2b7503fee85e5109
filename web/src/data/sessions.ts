/** Queries and mutations of chat sessions. */
import { queryOptions, useIsMutating, useMutation, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { pagedQuery } from "@/api/pages";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import {
  summarizeChatSession,
  deleteChatSession,
  exportChatSession,
  forkChatSession,
  getChatSession,
  listChatSessions,
  moveHead,
  purgeChatSession,
  restoreChatSession,
  searchChatSessions,
  updateChatSession,
} from "@/gen/echomind/public/v1/chat_session_service_client";
import type { ExportFormatJson, ListChatSessionsRequestJson, ListChatSessionsResponseJson } from "@/gen/echomind/public/v1/chat_session_service_pb";

const SUMMARIZING_MS = 2000;

const all = ["sessions"] as const;

/** Filter of sessions. */
export type SessionFilter = Pick<ListChatSessionsRequestJson, "archived" | "removed" | "statuses" | "assistantId" | "notebookId" | "hasGoal">;

/** Query keys of sessions. */
export const sessionKeys = {
  all,
  lists: [...all, "list"] as const,
  list: (isArchived: boolean) => [...all, "list", isArchived ? "archived" : "active"] as const,
  narrowed: (filter: SessionFilter) => [...all, "list", "narrowed", filter] as const,
  search: (query: string) => [...all, "list", "search", query] as const,
  /** Everything of one session: itself, its messages, runs, todos and checkpoints. */
  whole: (id: string) => [...all, id] as const,
  detail: (id: string) => [...all, id, "detail"] as const,
};

/** The reader's sessions that are not archived: pinned ones first, then the one with the newest message. */
export const sessionsQuery = pagedQuery(sessionKeys.list(false), listChatSessions, {});

/** The reader's archived sessions. */
export const archivedSessionsQuery = pagedQuery(sessionKeys.list(true), listChatSessions, { archived: true });

/** The reader's sessions that fit a filter. */
export const narrowedSessionsQuery = (filter: SessionFilter) => pagedQuery(sessionKeys.narrowed(filter), listChatSessions, filter);

/** The reader's sessions whose title or messages have all words of a query, archived ones too. */
export const sessionSearchQuery = (query: string) => pagedQuery(sessionKeys.search(query), searchChatSessions, { query });

/** One session. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: sessionKeys.detail(id),
    queryFn: ({ signal }) => getChatSession({ id }, { signal }),
    // The summary is created in the background, maybe while nobody follows the session's events.
    refetchInterval: ({ state }) => (state.data?.isSummarizing ? SUMMARIZING_MS : false),
  });

/** Changes of a session. An empty goal removes it. */
export type SessionChanges = Pick<ChatSessionJson, "title" | "goal" | "assistantId" | "pinned" | "archived" | "withoutMemory" | "preferences">;

/** Changes the given fields, with an optimistic update that is rolled back on an error. */
export function useUpdateSession(id: string) {
  const { update } = useSessionActions();
  return useMutation({ mutationFn: (changes: SessionChanges) => update(id, changes) });
}

/** Mutations of listed sessions, applied optimistically and rolled back on errors. */
export function useSessionActions() {
  const client = useQueryClient();
  return useMemo(() => {
    const settled = () => client.invalidateQueries({ queryKey: sessionKeys.lists });
    return {
      update: async (id: string, changes: SessionChanges): Promise<void> => {
        await client.cancelQueries({ queryKey: sessionKeys.lists });
        inLists(client, id, (session, isArchived) => {
          const changed = { ...session, ...changes };
          return (changed.archived ?? false) === isArchived ? changed : undefined;
        });
        try {
          client.setQueryData(sessionKeys.detail(id), await updateChatSession({ id, chatSession: changes }));
        } finally {
          await settled();
        }
      },
      remove: async (id: string, isPermanent: boolean): Promise<void> => {
        await client.cancelQueries({ queryKey: sessionKeys.lists });
        inLists(client, id, () => undefined);
        try {
          await (isPermanent ? purgeChatSession({ id }) : deleteChatSession({ id }));
          client.removeQueries({ queryKey: sessionKeys.whole(id) });
        } finally {
          await settled();
        }
      },
      restore: async (id: string): Promise<void> => {
        await restoreChatSession({ id });
        await settled();
      },
    };
  }, [client]);
}

/** Changes a session in the lists that have it; without a result it is left out. */
function inLists(client: QueryClient, id: string, change: (session: ChatSessionJson, isArchived: boolean) => ChatSessionJson | undefined): void {
  for (const isArchived of [false, true]) {
    client.setQueryData<InfiniteData<ListChatSessionsResponseJson>>(sessionKeys.list(isArchived), (data) => {
      if (!data) return data;
      const changed = (session: ChatSessionJson) => (String(session.id) === id ? (change(session, isArchived) ?? []) : session);
      return { ...data, pages: data.pages.map((page) => ({ ...page, chatSessions: (page.chatSessions ?? []).flatMap(changed) })) };
    });
  }
}

/** Reads sessions as one file for people. */
export async function readExports(ids: readonly string[]): Promise<File> {
  const parts = await Promise.all(ids.map((id) => exportChatSession({ id, format: "EXPORT_FORMAT_MARKDOWN" })));
  return new File([parts.map(({ content = "" }) => content.trimEnd()).join("\n\n---\n\n")], "conversations.md", { type: "text/markdown" });
}

/** Reads a session as a file. */
export async function readExport(id: string, format: ExportFormatJson): Promise<File> {
  const { content = "", fileName = "", mediaType = "" } = await exportChatSession({ id, format });
  return new File([content], fileName, { type: mediaType });
}

/** Copies a session up to a message ("0": all of it) into a new one. */
export function useForkSession(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (messageId: string) => forkChatSession({ id, messageId }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKeys.lists }),
  });
}

/** Requests a summary of the earlier messages. */
export function useSummarizeSession(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => summarizeChatSession({ id }),
    onSuccess: (session) => client.setQueryData(sessionKeys.detail(id), session),
  });
}

/** Shows the branch that ends with a message ("0": none), or with the newest one after it. */
export function useMoveHead(id: string) {
  return useSessionChange(id, (head: { messageId: string; toLatest: boolean }) => moveHead({ id, ...head }));
}

/**
 * A mutation of the shown messages of a session. They are fetched again even after an error, because someone else may
 * have changed them.
 */
export function useSessionChange<Values, Result>(session: string, change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: sessionKeys.whole(session),
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: sessionKeys.whole(session) }),
  });
}

/** Whether a change of a session is being saved. */
export function useIsSessionChanging(session: string): boolean {
  return useIsMutating({ mutationKey: sessionKeys.whole(session) }) > 0;
}
