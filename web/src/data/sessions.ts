/** Chat sessions: what is read of them, and how they change. */
import { queryOptions, useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import {
  summarizeChatSession,
  deleteChatSession,
  forkChatSession,
  getChatSession,
  listChatSessions,
  moveHead,
  purgeChatSession,
  updateChatSession,
} from "@/gen/echomind/public/v1/chat_session_service_client";

const SUMMARIZING_MS = 2000;

const all = ["sessions"] as const;

/** Where sessions are kept. */
export const sessionKeys = {
  lists: [...all, "list"] as const,
  /** Everything of one session: itself, its messages, runs, todos and checkpoints. */
  whole: (id: string) => [...all, id] as const,
  detail: (id: string) => [...all, id, "detail"] as const,
};

/** The reader's sessions, the one with the newest message first. */
export const sessionsQuery = pagedQuery(sessionKeys.lists, listChatSessions, {});

/** One session. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: sessionKeys.detail(id),
    queryFn: ({ signal }) => getChatSession({ id }, { signal }),
    // The summary is made in the background, when perhaps nobody follows the session's events.
    refetchInterval: ({ state }) => (state.data?.isSummarizing ? SUMMARIZING_MS : false),
  });

/** Changes what is given: title, goal (empty removes it) or assistant. */
export function useUpdateSession(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Pick<ChatSessionJson, "title" | "goal" | "assistantId">) => updateChatSession({ id, chatSession: changes }),
    onSuccess: (session) => {
      client.setQueryData(sessionKeys.detail(id), session);
      return client.invalidateQueries({ queryKey: sessionKeys.lists });
    },
  });
}

/**
 * Deletes a session, permanently with everything in it.
 *
 * @param onRemoved Called as soon as it is removed, before what was read of it goes: its page must be left.
 */
export function useRemoveSession(onRemoved: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isPermanent }: { id: string; isPermanent: boolean }) =>
      isPermanent ? purgeChatSession({ id }) : deleteChatSession({ id }),
    onSuccess: (_, { id }) => {
      onRemoved(id);
      client.removeQueries({ queryKey: sessionKeys.whole(id) });
      return client.invalidateQueries({ queryKey: sessionKeys.lists });
    },
  });
}

/** Copies a session up to a message ("0": all of it) into a new one. */
export function useForkSession(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (messageId: string) => forkChatSession({ id, messageId }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKeys.lists }),
  });
}

/** Asks for the earlier messages to be summarized. */
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

/** A change of what a session shows. All of it is read again, also after a failure: somebody else may have changed it. */
export function useSessionChange<Values, Result>(session: string, change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: sessionKeys.whole(session),
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: sessionKeys.whole(session) }),
  });
}

/** Whether a change of what a session shows is on its way. */
export function useIsSessionChanging(session: string): boolean {
  return useIsMutating({ mutationKey: sessionKeys.whole(session) }) > 0;
}
