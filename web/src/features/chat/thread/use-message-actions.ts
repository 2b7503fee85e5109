import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { optionsAgain } from "@/features/chat/composer/options";
import {
  discardMessage,
  editMessage,
  forkSession,
  messagesQuery,
  moveHead,
  regenerateMessage,
  sessionQuery,
  sessionsQuery,
} from "@/features/chat/queries";
import { runsQuery } from "@/features/chat/trace/runs";
import { todosQuery } from "@/features/chat/plan/todos";

/** What one can do with the messages of a conversation. */
export interface MessageActions {
  /** Asks an edited question and in the way of the run that answered it; the promise says when the new branch is shown. */
  edit: (messageId: string, content: string, run: RunJson | undefined) => Promise<void>;
  /** Answers a question once more, in the way of the run that answered it. */
  regenerate: (messageId: string, run: RunJson | undefined) => void;
  /** Shows the branch with another message in this one's place. */
  show: (messageId: string) => void;
  /** Takes the last question and its answer back. */
  undo: (question: ChatMessageJson) => void;
  /** Excludes a message from later prompts, or includes it again. */
  discard: (messageId: string, discarded: boolean) => void;
  /** Goes on from a message in a conversation of its own. */
  fork: (messageId: string) => void;
}

/**
 * The actions of one conversation, the same object from one drawing to the next; and how the last one fares.
 *
 * @param onUndone Told the words of a question that was taken back.
 */
export function useMessageActions(session: string, onUndone: (content: string) => void) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, mutateAsync, isPending, error, reset } = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    // Also after a failure: it may be that somebody else has changed the conversation.
    onSettled: () => {
      const changed = [messagesQuery(session), sessionQuery(session), runsQuery(session), todosQuery(session)];
      return Promise.all(changed.map(({ queryKey }) => client.invalidateQueries({ queryKey })));
    },
  });
  const actions = useMemo<MessageActions>(
    () => ({
      edit: async (messageId, content, run) => {
        await mutateAsync(() => editMessage(messageId, content, optionsAgain(run)));
      },
      regenerate: (messageId, run) => mutate(() => regenerateMessage(messageId, optionsAgain(run))),
      show: (messageId) => mutate(() => moveHead(session, messageId, true)),
      undo: ({ parentMessageId, content = "" }) =>
        mutate(async () => {
          await moveHead(session, parentMessageId ?? "0", false);
          onUndone(content);
        }),
      discard: (messageId, discarded) => mutate(() => discardMessage(messageId, discarded)),
      fork: (messageId) =>
        mutate(async () => {
          const fork = await forkSession(session, messageId);
          await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
          navigate(`/chat/${fork.id ?? ""}`);
        }),
    }),
    [client, mutate, mutateAsync, navigate, onUndone, session],
  );
  return { actions, isChanging: isPending, error, reset };
}
