import type { MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Archive, ArchiveRestore, FileDown, Flame, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { assistantsQuery } from "@/data/assistants";
import { notebooksQuery } from "@/data/notebooks";
import { archivedSessionsQuery, narrowedSessionsQuery, sessionSearchQuery, sessionsQuery } from "@/data/sessions";
import type { ChatSessionJson, ChatSessionStatusJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FilterSelect, FilterTabs, SearchBox } from "@/ui/filters";
import { NarrowFold } from "@/ui/NarrowFold";
import { Page } from "@/ui/Page";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { NOTHING_SELECTED, useSelection } from "@/ui/table/selection";
import { SelectionBar } from "@/ui/table/SelectionBar";
import { useColumns, type Row } from "./list/columns";
import { useListActions } from "./list/use-session-actions";
import styles from "./ConversationsPage.module.css";

const STATUSES = ["", "active", "paused", "cancelled", "completed", "failed", "error"] as const;
const STATE = {
  q: text(),
  view: oneOf(["active", "archived", "removed"], "active"),
  status: oneOf(STATUSES, ""),
  assistant: text(),
  notebook: text(),
  goal: oneOf(["", "with", "without"], ""),
};

const STATUS_LABELS: Record<(typeof STATUSES)[number], MessageDescriptor> = {
  "": msg`All states`,
  active: msg`Active`,
  paused: msg`Paused`,
  cancelled: msg`Cancelled`,
  completed: msg`Goal reached`,
  failed: msg`Goal not reached`,
  error: msg`Failed`,
};

const addressOf = ({ session }: Row) => `/chat/${session.id}`;

/** All conversations of the user: search, archive and bulk actions. */
export function ConversationsPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [{ q, view, status, assistant, notebook, goal }, setState] = useSearchState(STATE);
  const query = q.trim();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const { data: notebooks = [] } = useQuery(notebooksQuery(false));
  const narrowed = narrowedSessionsQuery({
    archived: view === "archived",
    removed: view === "removed",
    ...(status && { statuses: [`CHAT_SESSION_STATUS_${status.toUpperCase()}` as ChatSessionStatusJson] }),
    ...(assistant && { assistantId: Number(assistant) }),
    ...(notebook && { notebookId: notebook }),
    ...(goal && { hasGoal: goal === "with" }),
  });
  const isNarrowed = [status, assistant, notebook, goal].some(Boolean);
  const isPlain = view !== "removed" && !isNarrowed;
  const list = useInfiniteQuery({ ...(isPlain ? (view === "archived" ? archivedSessionsQuery : sessionsQuery) : narrowed), enabled: !query });
  const [isPurging, setPurging] = useState(false);
  const search = useInfiniteQuery({ ...sessionSearchQuery(query), enabled: query !== "", placeholderData: keepPreviousData });
  const shown = query ? search : list;
  const rows = query
    ? search.data?.pages.flatMap(({ hits = [] }) => hits.flatMap(({ chatSession, excerpt = "" }) => (chatSession ? [{ session: chatSession, excerpt }] : [])))
    : list.data?.pages.flatMap(({ chatSessions = [] }) => chatSessions.map((session) => ({ session, excerpt: "" })));
  const [selection, select] = useSelection(JSON.stringify([view, query, status, assistant, notebook, goal]));
  const selected = (rows ?? []).filter(({ session }) => selection.ids.has(String(session.id))).map(({ session }) => session);
  const actions = useListActions();
  const isRemoved = view === "removed" && !query;
  const columns = useColumns(query, isRemoved, actions.restore);
  const act = (work: (sessions: readonly ChatSessionJson[]) => Promise<void>) => {
    select(NOTHING_SELECTED);
    void work(selected);
  };
  const isArchive = selected.length > 0 && selected.every(({ archived }) => archived);
  return (
    <Page title={t`Conversations`} isWide>
      <NarrowFold label={isNarrowed || query ? t`Search and filters (in use)` : t`Search and filters`}>
        <div className={styles.filters}>
          <SearchBox label={t`Search titles and messages`} value={q} onChange={(next) => setState({ q: next })} />
          {!query && (
            <FilterTabs
              label={t`Which conversations`}
              value={view}
              options={[
                { value: "active", label: t`Current` },
                { value: "archived", label: t`Archived` },
                { value: "removed", label: t`Deleted` },
              ]}
              onChange={(next) => setState({ view: next })}
            />
          )}
          {!query && (
            <>
              <FilterSelect
                label={t`State`}
                value={status}
                options={STATUSES.map((value) => ({ value, label: t(STATUS_LABELS[value]) }))}
                onChange={(next) => setState({ status: next as typeof status })}
              />
              <FilterSelect
                label={t`Assistant`}
                value={assistant}
                options={[{ value: "", label: t`All assistants` }, ...assistants.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
                onChange={(next) => setState({ assistant: next })}
              />
              {notebooks.length > 0 && (
                <FilterSelect
                  label={t`Notebook`}
                  value={notebook}
                  options={[{ value: "", label: t`All notebooks` }, ...notebooks.map(({ id = "", title = "" }) => ({ value: id, label: title }))]}
                  onChange={(next) => setState({ notebook: next })}
                />
              )}
              <FilterSelect
                label={t`Goal`}
                value={goal}
                options={[
                  { value: "", label: t`With and without a goal` },
                  { value: "with", label: t`With a goal` },
                  { value: "without", label: t`Without a goal` },
                ]}
                onChange={(next) => setState({ goal: next as typeof goal })}
              />
            </>
          )}
        </div>
      </NarrowFold>
      <SelectionBar selection={selection} onSelect={select} loaded={rows?.length ?? 0} matching={undefined} matchingLabel="">
        {view === "removed" && !query ? (
          <>
            <Button size="sm" onClick={() => act(actions.restore)}>
              <RotateCcw size={15} aria-hidden /> <Trans>Restore</Trans>
            </Button>
            <Button size="sm" variant="danger" onClick={() => setPurging(true)}>
              <Flame size={15} aria-hidden /> <Trans>Delete permanently</Trans>
            </Button>
          </>
        ) : (
          <>
            <Button size="sm" onClick={() => act(actions.downloadAll)}>
              <FileDown size={15} aria-hidden /> <Trans>Export</Trans>
            </Button>
            <Button size="sm" onClick={() => act((sessions) => actions.archive(sessions, !isArchive))}>
              {isArchive ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />}
              {isArchive ? <Trans>Move back to the list</Trans> : <Trans>Archive</Trans>}
            </Button>
            <Button size="sm" variant="danger" onClick={() => act(actions.remove)}>
              <Trash2 size={15} aria-hidden /> <Trans>Delete</Trans>
            </Button>
          </>
        )}
      </SelectionBar>
      {isPurging && (
        <ConfirmDialog
          title={t`Delete the selected conversations permanently?`}
          text={plural(selected.length, {
            one: "All messages, quotes, runs and steps of # conversation are deleted. Forks stay.",
            other: "All messages, quotes, runs and steps of # conversations are deleted. Forks stay.",
          })}
          action={t`Delete permanently`}
          onConfirm={async () => {
            await actions.purge(selected);
            select(NOTHING_SELECTED);
          }}
          onClose={() => setPurging(false)}
        />
      )}
      <div className={styles.table}>
        <DataTable
          label={t`Conversations`}
          columns={columns}
          rows={rows}
          idOf={({ session }) => String(session.id)}
          nameOf={({ session }) => session.title ?? ""}
          selection={selection}
          onSelect={select}
          {...(!isRemoved && { onOpen: (row: Row) => navigate(addressOf(row)), hrefOf: addressOf })}
          {...pagesOf(shown)}
          whenEmpty={
            query ? (
              <Trans>No conversation says that.</Trans>
            ) : isNarrowed ? (
              <Trans>No conversation fits the filters.</Trans>
            ) : view === "archived" ? (
              <Trans>Nothing is archived.</Trans>
            ) : view === "removed" ? (
              <Trans>Nothing is deleted.</Trans>
            ) : (
              <Trans>Your conversations will be listed here.</Trans>
            )
          }
        />
      </div>
    </Page>
  );
}
