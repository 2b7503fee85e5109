import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { useEditMessage, useExcludeMessage, useRegenerateMessage } from "@/data/messages";
import { useForkSession, useIsSessionChanging, useMoveHead } from "@/data/sessions";
import { optionsAgain } from "@/features/chat/composer/options";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { showToast } from "@/ui/toasts";

/** Mutations of the messages of a conversation. */
export interface MessageActions {
  /** Asks an edited question with the options of the run that answered it; resolves when the new branch is shown. */
  edit: (messageId: string, content: string, run: RunJson | undefined) => Promise<unknown>;
  /** Answers a question again, in the way of the run that answered it. */
  regenerate: (messageId: string, run: RunJson | undefined) => void;
  /** Shows the branch of a sibling message. */
  show: (messageId: string) => void;
  /** Undoes the last turn: its question and answer. */
  undo: (question: ChatMessageJson) => void;
  /** Excludes a message from later prompts, or includes it again. */
  exclude: (messageId: string, isExcluded: boolean) => void;
  /** Copies the conversation up to a message into a new one, and opens that. */
  fork: (messageId: string) => void;
}

/**
 * The actions of one conversation, the same object from one drawing to the next; and how the last one fares.
 *
 * @param onUndone Called with the words of a question that was undone.
 */
export function useMessageActions(session: string, onUndone: (content: string) => void) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const edit = useEditMessage(session);
  const regenerate = useRegenerateMessage(session);
  const move = useMoveHead(session);
  const exclude = useExcludeMessage(session);
  const fork = useForkSession(session);
  const all = [edit, regenerate, move, exclude, fork];
  const last = all.reduce((latest, one) => (one.submittedAt > latest.submittedAt ? one : latest));

  const { mutateAsync: editNow } = edit;
  const { mutate: regenerateNow } = regenerate;
  const { mutate: moveNow } = move;
  const { mutate: excludeNow } = exclude;
  const { mutate: forkNow } = fork;
  const actions = useMemo<MessageActions>(
    () => ({
      edit: (id, content, run) => editNow({ id, content, options: optionsAgain(run) }),
      regenerate: (id, run) => regenerateNow({ id, options: optionsAgain(run) }),
      show: (messageId) => moveNow({ messageId, toLatest: true }),
      undo: ({ id = "", parentMessageId, content = "" }) =>
        moveNow(
          { messageId: parentMessageId ?? "0", toLatest: false },
          {
            onSuccess: () => {
              onUndone(content);
              const redo = () => moveNow({ messageId: id, toLatest: true }, { onSuccess: () => onUndone("") });
              showToast({ message: t`Last turn undone. Its question is in the composer.`, action: { label: t`Redo`, run: redo } });
            },
          },
        ),
      exclude: (id, isExcluded) =>
        excludeNow(
          { id, isExcluded },
          {
            onSuccess: () =>
              showToast({
                message: isExcluded ? t`Excluded from context` : t`Included in context`,
                action: { label: t`Undo`, run: () => excludeNow({ id, isExcluded: !isExcluded }) },
              }),
          },
        ),
      fork: (messageId) => forkNow(messageId, { onSuccess: ({ id = "" }) => navigate(`/chat/${id}`) }),
    }),
    [editNow, regenerateNow, moveNow, excludeNow, forkNow, navigate, onUndone, t],
  );
  const isChanging = useIsSessionChanging(session) || fork.isPending;
  return { actions, isChanging, error: last.error, reset: last.reset };
}
