import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { notebookSessionsQuery } from "@/data/notebooks";
import { useCurrentUser } from "@/data/users";
import type { NotebookSessionJson } from "@/gen/echomind/public/v1/notebook_pb";
import { SearchBox } from "@/ui/filters";
import { formatMoment } from "@/ui/format";
import { QueryView } from "@/ui/QueryView";
import { ShowMore } from "@/ui/ShowMore";
import { StatusDot } from "@/ui/StatusDot";
import styles from "../notebooks.module.css";

const AT_WORK = new Set(["RUN_STATUS_QUEUED", "RUN_STATUS_RUNNING", "RUN_STATUS_WAITING_FOR_CHILDREN"]);

/** The conversations of a notebook, including those of other members. */
export function SessionList({ notebookId }: { notebookId: string }) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const pages = useInfiniteQuery({ ...notebookSessionsQuery(notebookId, query), placeholderData: keepPreviousData });
  const { data, error, refetch } = pages;
  const sessions = data?.pages.flatMap((page) => page.sessions ?? []);
  return (
    <section aria-labelledby="notebook-conversations">
      <h2 id="notebook-conversations" className={styles.heading}>
        <Trans>Conversations</Trans>
      </h2>
      {(query || (sessions && sessions.length > 0)) && (
        <div className={styles.search}>
          <SearchBox label={t`Search the conversations`} value={query} onChange={setQuery} />
        </div>
      )}
      <QueryView error={error} onRetry={refetch} isPending={!sessions} label={t`Loading conversations`} />
      {sessions?.length === 0 && (
        <p className={styles.empty}>
          {query ? <Trans>No conversation that you can open contains this.</Trans> : <Trans>Nobody has asked anything yet.</Trans>}
        </p>
      )}
      <ul className={styles.sessions} aria-label={t`Conversations`}>
        {sessions?.map((session) => (
          <SessionRow key={session.chatSessionId} session={session} />
        ))}
      </ul>
      <ShowMore of={pages} size="sm" />
    </section>
  );
}

function SessionRow({ session: { chatSessionId = 0, userId, userName = "", chatSession, creationDate, lastMessageAt } }: { session: NotebookSessionJson }) {
  const { t } = useLingui();
  const isMine = userId === useCurrentUser().id;
  const when = formatMoment(lastMessageAt ?? creationDate);
  const about = `${isMine ? t`You` : userName} · ${when}`;
  if (!chatSession) {
    return (
      <li className={styles.session}>
        <span className={styles.hidden}>
          <Lock size={14} aria-hidden /> <Trans>Uses documents that you do not have access to</Trans>
        </span>
        <p>{about}</p>
      </li>
    );
  }
  const isAtWork = AT_WORK.has(chatSession.runStatus ?? "");
  return (
    <li className={styles.session}>
      <Link href={`/chat/${chatSessionId}`}>{chatSession.title || t`Conversation`}</Link>
      <p>
        {about}
        {isAtWork && (
          <>
            {" · "}
            <StatusDot shape="running" label={t`being answered`} isLabelled />
          </>
        )}
      </p>
    </li>
  );
}
