import { useLingui } from "@lingui/react/macro";
import { Archive, Pin, RotateCcw } from "lucide-react";
import { Link } from "wouter";
import { RunStatus } from "@/features/conversations/RunStatus";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { IconButton } from "@/ui/Button";
import { formatNumber } from "@/ui/format";
import { Moment } from "@/ui/Moment";
import { Highlighted } from "@/ui/Highlighted";
import type { Column } from "@/ui/table/columns";
import styles from "../ConversationsPage.module.css";
import { SessionMenu } from "./SessionItem";

/** A conversation with its search result. */
export interface Row {
  session: ChatSessionJson;
  excerpt: string;
}

/** Columns of the table of conversations; deleted ones can only be restored. */
export function useColumns(query: string, isRemoved: boolean, restore: (sessions: readonly ChatSessionJson[]) => Promise<void>): readonly Column<Row>[] {
  const { t } = useLingui();
  return [
    {
      id: "title",
      header: t`Title`,
      cell: ({ session, excerpt }) => (
        <div className={styles.cell}>
          <span className={styles.title}>
            {isRemoved ? (
              <span>
                <Highlighted text={session.title || t`Untitled`} query={query} />
              </span>
            ) : (
              <Link href={`/chat/${session.id}`} className={styles.link}>
                <Highlighted text={session.title || t`Untitled`} query={query} />
              </Link>
            )}
            {session.pinned && <Pin size={13} aria-label={t`Pinned`} />}
            {query && session.archived && <Archive size={13} aria-label={t`Archived`} />}
          </span>
          {excerpt && (
            <span className={styles.excerpt}>
              <Highlighted text={excerpt} query={query} />
            </span>
          )}
        </div>
      ),
    },
    { id: "status", header: t`Latest run`, width: "12rem", isWideOnly: true, cell: ({ session }) => <RunStatus status={session.runStatus} isLabelled /> },
    {
      id: "messages",
      header: t`Messages`,
      width: "7rem",
      align: "end",
      isWideOnly: true,
      cell: ({ session }) => formatNumber(session.messageCount ?? 0),
    },
    {
      id: "newest",
      header: t`Newest`,
      width: "7rem",
      cell: ({ session: { lastMessageAt, creationDate } }) => <Moment at={lastMessageAt ?? creationDate} />,
    },
    {
      id: "actions",
      header: t`Actions`,
      isHeaderHidden: true,
      width: "4.5rem",
      align: "end",
      cell: ({ session }) =>
        isRemoved ? (
          <IconButton label={t`Restore`} onClick={() => void restore([session])}>
            <RotateCcw size={16} />
          </IconButton>
        ) : (
          <SessionMenu session={session} />
        ),
    },
  ];
}
