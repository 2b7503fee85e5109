import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { GitBranch, NotebookText, PanelLeft, SquarePen, Target } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { sessionQuery } from "@/data/sessions";
import { NEW_SESSION } from "@/features/chat/live/conversations";
import { ConversationMenu } from "@/features/chat/sessions/ConversationMenu";
import { SessionList } from "@/features/conversations/SessionList";
import { ConversationView } from "@/features/chat/thread/ConversationView";
import { IconButton } from "@/ui/Button";
import { lazyPart } from "@/ui/lazy-part";
import { useOpenSource } from "./use-open-source";
import styles from "./ChatPage.module.css";

const SourcePanel = lazyPart(async () => (await import("@/features/documents/SourcePanel")).SourcePanel);

/** Sessions at the left, a conversation, and the source that is looked at on the right. */
export function ChatPage({ sessionId }: { sessionId: string | undefined }) {
  const { t } = useLingui();
  const key = sessionId ?? NEW_SESSION;
  const [isListOpen, setListOpen] = useState(false);
  const source = useOpenSource(key);
  const { data: session } = useQuery({ ...sessionQuery(key), enabled: key !== NEW_SESSION });
  const title = key === NEW_SESSION ? t`New conversation` : session?.title || t`Conversation`;
  return (
    <div className={styles.page}>
      <title>{`${title} · EchoMind`}</title>
      <SessionList currentId={sessionId} isOpen={isListOpen} onClose={() => setListOpen(false)} />
      <main className={styles.main}>
        <header className={styles.header}>
          <IconButton label={t`Conversations`} className={styles.toggle} aria-expanded={isListOpen} onClick={() => setListOpen(true)}>
            <PanelLeft size={18} />
          </IconButton>
          <div className={styles.titles}>
            <h1 className={styles.title}>{title}</h1>
            {session?.goal && session.goal !== title && (
              <p className={styles.goal} title={session.goal}>
                <span className="visually-hidden">
                  <Trans>Goal:</Trans>{" "}
                </span>
                <Target size={12} aria-hidden /> {session.goal}
              </p>
            )}
          </div>
          {session?.parentSessionId && (
            <Link href={`/chat/${session.parentSessionId}`} className={styles.parent}>
              <GitBranch size={14} aria-hidden /> <Trans>Forked from</Trans>
            </Link>
          )}
          {session?.notebookId && (
            <Link href={`/notebooks/${session.notebookId}`} className={styles.parent}>
              <NotebookText size={14} aria-hidden /> <Trans>Notebook</Trans>
            </Link>
          )}
          {session && <ConversationMenu session={session} />}
          <Link href="/" className={styles.new} aria-label={t`New conversation`} title={t`New conversation`}>
            <SquarePen size={18} />
          </Link>
        </header>
        <ConversationView
          key={key}
          sessionKey={key}
          session={session}
          onOpenSource={source.open}
        />
      </main>
      {source.citation && (
        <SourcePanel citation={source.citation} onClose={source.close} onPrevious={source.previous} onNext={source.next} />
      )}
    </div>
  );
}
