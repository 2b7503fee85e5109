import { createContext, use, useSyncExternalStore } from "react";
import type { Conversation, Conversations } from "@/features/chat/live/conversations";

const Context = createContext<Conversations | null>(null);

export const ConversationsProvider = Context;

/** The conversations at work. */
export function useConversations(): Conversations {
  const conversations = use(Context);
  if (!conversations) throw new Error("useConversations needs a ConversationsProvider above it");
  return conversations;
}

/** The live side of one conversation. */
export function useConversation(key: string): Conversation {
  const conversations = useConversations();
  return useSyncExternalStore(conversations.subscribe, () => conversations.get(key));
}
