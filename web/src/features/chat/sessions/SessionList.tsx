import { useInfiniteQuery } from "@tanstack/react-query";
import { SquarePen, X } from "lucide-react";
import { Link } from "wouter";
import { sessionsQuery } from "@/data/sessions";
import { Button, IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { SessionItem } from "./SessionItem";
import styles from "./SessionList.module.css";

interface SessionListProps {
  currentId: string | undefined;
  /** Whether it is shown where it lies over the page (narrow screens). */
  isOpen: boolean;
  onClose: () => void;
}

/** The reader's conversations, newest first. */
export function SessionList({ currentId, isOpen, onClose }: SessionListProps) {
  const sessions = useInfiniteQuery(sessionsQuery);
  const items = sessions.data?.pages.flatMap((page) => page.chatSessions ?? []);
  return (
    <>
      {isOpen && <button type="button" className={styles.backdrop} aria-label="Close the list" onClick={onClose} />}
      <nav className={classes(styles.panel, isOpen && styles.open)} aria-label="Conversations">
        <div className={styles.top}>
          <Link href="/" className={styles.new} onClick={onClose}>
            <SquarePen size={16} aria-hidden /> New conversation
          </Link>
          <IconButton label="Close" className={styles.close} onClick={onClose}>
            <X size={18} />
          </IconButton>
        </div>
        {sessions.error && <LoadFailure error={sessions.error} onRetry={sessions.refetch} />}
        {sessions.isPending && <Spinner label="Loading conversations" />}
        {items?.length === 0 && <p className={styles.empty}>Your conversations will be listed here.</p>}
        <ul className={styles.list}>
          {items?.map((session) => (
            <SessionItem key={session.id} session={session} isCurrent={String(session.id) === currentId} onOpen={onClose} />
          ))}
        </ul>
        {sessions.hasNextPage && (
          <Button size="sm" variant="ghost" disabled={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
            {sessions.isFetchingNextPage && <Spinner />} Show older
          </Button>
        )}
      </nav>
    </>
  );
}
