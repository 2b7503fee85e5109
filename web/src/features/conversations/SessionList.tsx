import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { MessagesSquare, Search, SquarePen, Users, X } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { sessionSearchQuery, sessionsQuery } from "@/data/sessions";
import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { MoreButton } from "@/ui/MoreButton";
import { QueryView } from "@/ui/QueryView";
import { groupsOf } from "./list/groups";
import { SessionItem } from "./list/SessionItem";
import styles from "./SessionList.module.css";

interface SessionListProps {
  currentId: string | undefined;
  /** Whether it is displayed over the page (narrow screens). */
  isOpen: boolean;
  onClose: () => void;
}

/** The reader's conversations, newest first, and the search in them. */
export function SessionList({ currentId, isOpen, onClose }: SessionListProps) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const words = useDeferredValue(query.trim());
  return (
    <>
      {isOpen && <button type="button" className={styles.backdrop} aria-label={t`Close the list`} onClick={onClose} />}
      <nav className={classes(styles.panel, isOpen && styles.open)} aria-label={t`Conversations`}>
        <div className={styles.top}>
          <Link href="/" className={styles.new} onClick={onClose}>
            <SquarePen size={16} aria-hidden /> <Trans>New conversation</Trans>
          </Link>
          <IconButton label={t`Close`} className={styles.close} onClick={onClose}>
            <X size={18} />
          </IconButton>
        </div>
        <div className={styles.search}>
          <Search size={15} aria-hidden />
          <input
            type="search"
            aria-label={t`Search conversations`}
            placeholder={t`Search conversations`}
            maxLength={200}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </div>
        {words ? <Found query={words} currentId={currentId} onOpen={onClose} /> : <All currentId={currentId} onOpen={onClose} />}
        <div className={styles.others}>
          <Link href="/chats" className={styles.all} onClick={onClose}>
            <MessagesSquare size={15} aria-hidden /> <Trans>All conversations</Trans>
          </Link>
          <Link href="/received" className={styles.all} onClick={onClose}>
            <Users size={15} aria-hidden /> <Trans>Shared with you</Trans>
          </Link>
        </div>
      </nav>
    </>
  );
}

interface PartProps {
  currentId: string | undefined;
  onOpen: () => void;
}

function All({ currentId, onOpen }: PartProps) {
  const { t } = useLingui();
  const sessions = useInfiniteQuery(sessionsQuery);
  const items = sessions.data?.pages.flatMap((page) => page.chatSessions ?? []);
  return (
    <>
      <QueryView error={sessions.error} onRetry={sessions.refetch} isPending={sessions.isPending} label={t`Loading conversations`} />
      {items?.length === 0 && (
        <p className={styles.empty}>
          <Trans>Your conversations will be listed here.</Trans>
        </p>
      )}
      {groupsOf(items ?? []).map(({ key, label, sessions: own }) => (
        <section key={key} aria-labelledby={`conversations-${key}`}>
          <h2 id={`conversations-${key}`} className={styles.group}>
            {t(label)}
          </h2>
          <ul className={styles.list}>
            {own.map((session) => (
              <SessionItem key={session.id} session={session} isCurrent={String(session.id) === currentId} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      ))}
      {sessions.hasNextPage && (
        <MoreButton isLoading={sessions.isFetchingNextPage} onMore={() => void sessions.fetchNextPage()} />
      )}
    </>
  );
}

function Found({ query, currentId, onOpen }: PartProps & { query: string }) {
  const { t } = useLingui();
  const found = useInfiniteQuery({ ...sessionSearchQuery(query), placeholderData: keepPreviousData });
  const hits = found.data?.pages.flatMap((page) => page.hits ?? []);
  return (
    <>
      <QueryView error={found.error} onRetry={found.refetch} isPending={found.isPending} label={t`Searching`} />
      <p className={hits?.length === 0 ? styles.empty : "visually-hidden"} role="status">
        {hits?.length === 0 && <Trans>No conversation says that.</Trans>}
      </p>
      <ul className={styles.list} aria-label={t`Conversations found`}>
        {hits?.map(
          ({ chatSession, excerpt = "" }) =>
            chatSession && (
              <SessionItem
                key={chatSession.id}
                session={chatSession}
                isCurrent={String(chatSession.id) === currentId}
                found={{ query, excerpt }}
                onOpen={onOpen}
              />
            ),
        )}
      </ul>
      {found.hasNextPage && (
        <MoreButton isLoading={found.isFetchingNextPage} onMore={() => void found.fetchNextPage()} />
      )}
    </>
  );
}
