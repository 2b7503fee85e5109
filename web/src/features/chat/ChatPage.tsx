import { useQuery } from "@tanstack/react-query";
import { PanelLeft, SquarePen } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { Link } from "wouter";
import { preloadAnswerText } from "@/features/citations/AnswerText";
import { SourcePanel } from "@/features/documents/SourcePanel";
import type { CitationJson } from "@/gen/echomind/public/v1/run_pb";
import { IconButton } from "@/ui/Button";
import { ConversationView } from "./ConversationView";
import { NEW_SESSION } from "./live/conversations";
import { sessionQuery } from "./queries";
import { SessionList } from "./SessionList";
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
          <h1 className={styles.title}>{title}</h1>
          <Link href="/" className={styles.new} aria-label="New conversation" title="New conversation">
            <SquarePen size={18} />
          </Link>
        </header>
        <ConversationView
          key={key}
          sessionKey={key}
          assistantId={session?.assistantId ?? 0}
          onOpenSource={openSource}
        />
      </main>
      {shown && <SourcePanel citation={shown} onClose={closeSource} />}
    </div>
  );
}
