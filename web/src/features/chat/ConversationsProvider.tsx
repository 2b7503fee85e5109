import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useState, useSyncExternalStore, type ReactNode } from "react";
import { navigate } from "wouter/use-browser-location";
import { addressOf } from "@/ui/base-path";
import { Conversations, type Conversation } from "./live/conversations";
import { createPorts } from "./live/ports";

const Context = createContext<Conversations | null>(null);

/** Provides the active conversations, independently of the pages. */
export function ConversationsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [conversations] = useState(() => {
    const openSession = (id: string) => {
      // Do not navigate if the user has opened another page in the meantime.
      if (location.pathname === addressOf("/")) navigate(addressOf(`/chat/${id}`), { replace: true });
    };
    return new Conversations(createPorts(client, openSession));
  });
  return <Context value={conversations}>{children}</Context>;
}

/** The active conversations. */
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
