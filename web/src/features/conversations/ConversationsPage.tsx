import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Archive, ArchiveRestore, Pin, Trash2 } from "lucide-react";
import { useLocation } from "wouter";
import { archivedSessionsQuery, sessionSearchQuery, sessionsQuery } from "@/data/sessions";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { Button } from "@/ui/Button";
import { FilterTabs, SearchBox } from "@/ui/filters";
import { formatMoment, formatNumber, formatTimestamp } from "@/ui/format";
import { Highlighted } from "@/ui/Highlighted";
import { Page } from "@/ui/Page";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { NOTHING_SELECTED, useSelection } from "@/ui/table/selection";
import { SelectionBar } from "@/ui/table/SelectionBar";
import { SessionMenu } from "./list/SessionItem";
import { useListActions } from "./list/use-session-actions";
import { RunStatus } from "./RunStatus";
import styles from "./ConversationsPage.module.css";

const STATE = { q: text(), view: oneOf(["active", "archived"], "active") };

/** A conversation, with what a search found in it. */
interface Row {
  session: ChatSessionJson;
  excerpt: string;
}

/** All conversations of the reader: search, the archive, and what one can do with several. */
export function ConversationsPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [{ q, view }, setState] = useSearchState(STATE);
  const query = q.trim();
  const list = useInfiniteQuery({ ...(view === "archived" ? archivedSessionsQuery : sessionsQuery), enabled: !query });
  const search = useInfiniteQuery({ ...sessionSearchQuery(query), enabled: query !== "", placeholderData: keepPreviousData });
  const shown = query ? search : list;
  const rows = query
    ? search.data?.pages.flatMap(({ hits = [] }) => hits.flatMap(({ chatSession, excerpt = "" }) => (chatSession ? [{ session: chatSession, excerpt }] : [])))
    : list.data?.pages.flatMap(({ chatSessions = [] }) => chatSessions.map((session) => ({ session, excerpt: "" })));
  const [selection, select] = useSelection(`${view} ${query}`);
  const selected = (rows ?? []).filter(({ session }) => selection.ids.has(String(session.id))).map(({ session }) => session);
  const actions = useListActions();
  const act = (work: (sessions: readonly ChatSessionJson[]) => Promise<void>) => {
    select(NOTHING_SELECTED);
    void work(selected);
  };
  const isArchive = selected.length > 0 && selected.every(({ archived }) => archived);
  return (
    <Page title={t`Conversations`}>
      <div className={styles.filters}>
        <SearchBox label={t`Search titles and messages`} value={q} onChange={(next) => setState({ q: next })} />
        {!query && (
          <FilterTabs
            label={t`Which conversations`}
            value={view}
            options={[
              { value: "active", label: t`Current` },
              { value: "archived", label: t`Archived` },
            ]}
            onChange={(next) => setState({ view: next })}
          />
        )}
      </div>
      <SelectionBar selection={selection} onSelect={select} loaded={rows?.length ?? 0} matching={undefined} matchingLabel="">
        <Button size="sm" onClick={() => act((sessions) => actions.archive(sessions, !isArchive))}>
          {isArchive ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />}
          {isArchive ? <Trans>Move back to the list</Trans> : <Trans>Archive</Trans>}
        </Button>
        <Button size="sm" variant="danger" onClick={() => act(actions.remove)}>
          <Trash2 size={15} aria-hidden /> <Trans>Delete</Trans>
        </Button>
      </SelectionBar>
      <div className={styles.table}>
        <DataTable
          label={t`Conversations`}
          columns={useColumns(query)}
          rows={rows}
          idOf={({ session }) => String(session.id)}
          nameOf={({ session }) => session.title ?? ""}
          selection={selection}
          onSelect={select}
          onOpen={({ session }) => navigate(`/chat/${session.id}`)}
          hasMore={shown.hasNextPage}
          isLoadingMore={shown.isFetchingNextPage}
          onMore={() => void shown.fetchNextPage()}
          error={shown.error}
          onRetry={shown.refetch}
          isStale={shown.isPlaceholderData}
          whenEmpty={
            query ? <Trans>No conversation says that.</Trans> : view === "archived" ? <Trans>Nothing is archived.</Trans> : <Trans>Your conversations will be listed here.</Trans>
          }
        />
      </div>
    </Page>
  );
}

function useColumns(query: string): readonly Column<Row>[] {
  const { t } = useLingui();
  return [
    {
      id: "title",
      header: t`Title`,
      cell: ({ session, excerpt }) => (
        <div className={styles.cell}>
          <span className={styles.title}>
            <span>
              <Highlighted text={session.title || t`Untitled`} query={query} />
            </span>
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
      cell: ({ session: { lastMessageAt, creationDate } }) => (
        <time dateTime={lastMessageAt ?? creationDate} title={formatTimestamp(lastMessageAt ?? creationDate)}>
          {formatMoment(lastMessageAt ?? creationDate)}
        </time>
      ),
    },
    { id: "actions", header: t`Actions`, isHeaderHidden: true, width: "4.5rem", align: "end", cell: ({ session }) => <SessionMenu session={session} /> },
  ];
}
