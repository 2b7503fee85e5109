import { useCallback, useEffect, useState } from "react";
import { newRequestId } from "@/api/request-id";
import { useDraft } from "@/data/drafts";
import { useAttachments } from "@/features/chat/composer/attachments";
import { useConversation, useConversations } from "@/features/chat/ConversationsProvider";
import { questionOf } from "@/features/chat/live/ports";

/**
 * The draft of the next question and its actions. The draft is kept until the server has stored the question; if
 * attached files are not indexed yet, it is sent as soon as they are.
 */
export function useAsking(session: string) {
  const conversations = useConversations();
  const conversation = useConversation(session);
  const [draft, change] = useDraft(session);
  const { attachments, add, remove } = useAttachments(session);
  const [isWaiting, setWaiting] = useState(false);
  const isOpen = attachments.some(({ state }) => state !== "ready");
  const hasFailed = attachments.some(({ state }) => state === "failed");

  const send = useCallback(
    (content: string) => {
      const question = questionOf({ ...draft, text: content }, newRequestId());
      if (question && !conversations.get(session).isFollowing) void conversations.ask(session, question);
    },
    [conversations, session, draft],
  );
  const ask = () => (isOpen ? setWaiting(true) : send(draft.text));
  const isReady = isWaiting && !isOpen;
  useEffect(() => {
    if (!isReady) return undefined;
    const timer = setTimeout(() => {
      setWaiting(false);
      send(draft.text);
    });
    return () => clearTimeout(timer);
  }, [isReady, send, draft.text]);

  return {
    draft,
    change,
    attachments,
    add,
    remove,
    /** Sends the draft. */
    ask,
    /** Sends it when the current answer is complete; its files must be indexed. */
    queue: isOpen ? undefined : () => change({ queuedAs: newRequestId() }),
    /** Sends another text, such as a conversation starter. */
    send,
    /** Whether it waits for its files. */
    isWaiting: isWaiting && !hasFailed,
    /** Whether it is being sent. */
    isSent: conversation.question !== undefined && !conversation.error,
  };
}
