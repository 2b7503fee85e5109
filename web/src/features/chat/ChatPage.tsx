import { useQuery } from "@tanstack/react-query";
import { GitBranch, PanelLeft, SquarePen, Target } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { Link } from "wouter";
import { sessionQuery } from "@/data/sessions";
import { NEW_SESSION } from "@/features/chat/live/conversations";
import { ConversationMenu } from "@/features/chat/sessions/ConversationMenu";
import { SessionList } from "@/features/conversations/SessionList";
import { ConversationView } from "@/features/chat/thread/ConversationView";
import { preloadAnswerText } from "@/features/citations/AnswerText";
import { SourcePanel } from "@/features/documents/SourcePanel";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import styles from "./ChatPage.module.css";

/** Sessions at the left, a conversation, and the source that is looked at on the right. */
export function ChatPage({ sessionId }: { sessionId: string | undefined }) {
  const key = sessionId ?? NEW_SESSION;
  const [isListOpen, setListOpen] = useState(false);
  const [source, setSource] = useState<{ session: string; citation: CitationJson }>();
  const { data: session } = useQuery({ ...sessionQuery(key), enabled: key !== NEW_SESSION });
  const openSource = useCallback((citation: CitationJson) => setSource({ session: key, citation }), [key]);
  const closeSource = useCallback(() => setSource(undefined), []);
  const title = key === NEW_SESSION ? "New conversation" : session?.title || "Conversation";
  const shown = source?.session === key ? source.citation : undefined;
  useEffect(preloadAnswerText, []);
  return (
    <div className={styles.page}>
      <title>{`${title} · EchoMind`}</title>
      <SessionList currentId={sessionId} isOpen={isListOpen} onClose={() => setListOpen(false)} />
      <main className={styles.main}>
        <header className={styles.header}>
          <IconButton label="Conversations" className={styles.toggle} aria-expanded={isListOpen} onClick={() => setListOpen(true)}>
            <PanelLeft size={18} />
          </IconButton>
          <div className={styles.titles}>
            <h1 className={styles.title}>{title}</h1>
            {session?.goal && session.goal !== title && (
              <p className={styles.goal} title={session.goal}>
                <span className="visually-hidden">Goal: </span>
                <Target size={12} aria-hidden /> {session.goal}
              </p>
            )}
          </div>
          {session?.parentSessionId && (
            <Link href={`/chat/${session.parentSessionId}`} className={styles.parent}>
              <GitBranch size={14} aria-hidden /> Forked from
            </Link>
          )}
          {session && <ConversationMenu session={session} />}
          <Link href="/" className={styles.new} aria-label="New conversation" title="New conversation">
            <SquarePen size={18} />
          </Link>
        </header>
        <ConversationView
          key={key}
          sessionKey={key}
          session={session}
          onOpenSource={openSource}
        />
      </main>
      {shown && <SourcePanel citation={shown} onClose={closeSource} />}
    </div>
  );
}
