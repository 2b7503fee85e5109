import { useLingui } from "@lingui/react/macro";
import { Archive, Pin } from "lucide-react";
import { Link } from "wouter";
import { RunStatus } from "@/features/conversations/RunStatus";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
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

/** Columns of the table of conversations; removed ones have no actions in their row. */
export function useColumns(query: string, isRemoved: boolean): readonly Column<Row>[] {
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
    ...(isRemoved
      ? []
      : [{ id: "actions", header: t`Actions`, isHeaderHidden: true, width: "4.5rem", align: "end" as const, cell: ({ session }: Row) => <SessionMenu session={session} /> }]),
  ];
}
