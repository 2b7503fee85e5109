import { Trans, useLingui } from "@lingui/react/macro";
import { useQueries, useQuery } from "@tanstack/react-query";
import { MessageSquare } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { errorWords } from "@/api/error-words";
import { lessonsQuery } from "@/data/knowledge";
import { isOver, runEventsQuery, runTreeQuery, stepsQuery } from "@/data/runs";
import { eventWords } from "@/features/chat/events";
import type { StepJson } from "@/gen/echomind/public/v1/step_pb";
import { FilterTabs } from "@/ui/filters";
import { formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { RunFacts } from "./RunFacts";
import { barsOf } from "./timeline/bars";
import { BarDetail } from "./timeline/BarDetail";
import { Waterfall } from "./timeline/Waterfall";
import styles from "./RunPage.module.css";

const STATE = { tab: oneOf(["timeline", "events"], "timeline"), at: text() };
const LIVE_MS = 2000;

/** A run: its timeline, prompts and figures. */
export function RunPage({ id }: { id: string }) {
  const { t } = useLingui();
  const [{ tab, at }, setState] = useSearchState(STATE);
  const tree = useQuery({ ...runTreeQuery(id), refetchInterval: ({ state }) => (state.data?.[0] && !isOver(state.data[0].status) ? LIVE_MS : false) });
  const [root] = tree.data ?? [];
  return (
    <Page
      title={root?.goal || root?.input || t`Run`}
      parents={[{ href: "/runs", label: t`Runs` }]}
      actions={
        root && (
          <Link href={`/chat/${root.chatSessionId}`} className={styles.chat}>
            <MessageSquare size={16} aria-hidden /> <Trans>Open the conversation</Trans>
          </Link>
        )
      }
    >
      <QueryView error={tree.error} onRetry={tree.refetch} isPending={tree.isPending} label={t`Loading the run`} />
      {root && tree.data && (
        <>
          <RunFacts run={root} />
          {root.error && (
            <Notice tone="danger">
              {errorWords(root.error.reason ?? "", root.error.message ?? "")} {root.error.detail}
            </Notice>
          )}
          {root.error && isOver(root.status) && <Lessons runId={id} />}
          <FilterTabs
            label={t`Views of the run`}
            value={tab}
            options={[
              { value: "timeline", label: t`Timeline` },
              { value: "events", label: t`Events` },
            ]}
            onChange={(next) => setState({ tab: next })}
          />
          {tab === "timeline" ? (
            <Timeline tree={tree.data} chosen={at} onChoose={(key) => setState({ at: key })} />
          ) : (
            <Events id={id} />
          )}
        </>
      )}
    </Page>
  );
}

function Timeline({ tree, chosen, onChoose }: { tree: Parameters<typeof barsOf>[0]; chosen: string; onChoose: (key: string) => void }) {
  const isLive = tree.some(({ status }) => !isOver(status));
  const [opened] = useState(() => new Date());
  const steps = useQueries({
    queries: tree.map((run) => ({ ...stepsQuery(run.id ?? ""), refetchInterval: isOver(run.status) ? (false as const) : LIVE_MS })),
    combine: (results) => ({
      of: new Map(results.map(({ data }, index): [string, readonly StepJson[]] => [tree[index]?.id ?? "", data ?? []])),
      readAt: Math.max(0, ...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    }),
  });
  const bars = barsOf(tree, (runId) => steps.of.get(runId) ?? [], isLive && steps.readAt ? new Date(steps.readAt) : opened);
  const bar = bars.find(({ key }) => key === chosen);
  return (
    <>
      <Waterfall bars={bars} chosen={chosen} onChoose={(key) => onChoose(key === chosen ? "" : key)} />
      {bar && <BarDetail key={bar.key} bar={bar} />}
    </>
  );
}

function Events({ id }: { id: string }) {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(runEventsQuery(id));
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!data) return <Spinner label={t`Loading the events`} />;
  return (
    <ol className={styles.events} aria-label={t`Events`}>
      {data.map((event) => {
        const detail = Object.keys(event).find((name) => !["id", "chatSessionId", "runId", "kind", "text", "creationDate", "member", "warning"].includes(name));
        return (
          <li key={event.id}>
            <time dateTime={event.creationDate}>{formatTimestamp(event.creationDate)}</time>
            <code>{detail ?? event.kind?.replace("SESSION_EVENT_KIND_", "").toLowerCase()}</code>
            <span>{eventWords(event)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Lessons of a failed run; renders nothing for none. */
function Lessons({ runId }: { runId: string }) {
  const { data } = useQuery(lessonsQuery(runId));
  return data?.knowledge?.map(({ id = "", title, content }) => (
    <Notice key={id} tone="info">
      <Trans>
        Learned from it: <Link href={`/knowledge/${id}`}>{title}</Link>
      </Trans>{" "}
      {content}
    </Notice>
  ));
}
