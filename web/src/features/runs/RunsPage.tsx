import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { errorWords } from "@/api/error-words";
import { assistantsQuery } from "@/data/assistants";
import { costWords, llmsQuery } from "@/data/llms";
import { runListQuery } from "@/data/runs";
import { displayName, hasRole, useCurrentUser, usersQuery } from "@/data/users";
import { RUN_STATUSES } from "@/features/conversations/run-status";
import { RunStatus } from "@/features/conversations/RunStatus";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { AGE_NAMES, createdFrom, LIST_AGES } from "@/ui/ages";
import { Button } from "@/ui/Button";
import { FilterSelect, SearchBox } from "@/ui/filters";
import { formatCompact, formatCost, formatDuration } from "@/ui/format";
import { Moment } from "@/ui/Moment";
import { NarrowFold } from "@/ui/NarrowFold";
import { Page } from "@/ui/Page";
import { useSearchState } from "@/ui/search-state";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { useSelection } from "@/ui/table/selection";
import { COSTS, filterOf, STATE, type Status } from "./filter";
import styles from "./RunsPage.module.css";

const addressOf = ({ id = "" }: RunJson) => `/runs/${id}`;

/** What a run has cost, in words; nothing before its first call of a model. */
function costOfRun({ cost, promptTokens, completionTokens, llmId }: RunJson, llms: readonly LlmJson[]): string {
  const tokens = Number(promptTokens ?? 0) + Number(completionTokens ?? 0);
  return tokens > 0 ? costWords(Number(cost ?? 0), tokens, llms.find(({ id }) => id === llmId)) : "";
}

/** All runs that the reader may see, with filters that the address has. */
export function RunsPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [state, setState] = useSearchState(STATE);
  const [since, setSince] = useState(() => createdFrom(state.age, new Date()));
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const { data: llms = [] } = useQuery(llmsQuery);
  const { data: users = [] } = useQuery({ ...usersQuery, enabled: isSuperadmin });
  const runs = useInfiniteQuery({ ...runListQuery(filterOf(state, since, isSuperadmin)), placeholderData: keepPreviousData });
  const rows = runs.data?.pages.flatMap((page) => page.runs ?? []);
  const [selection, select] = useSelection(JSON.stringify(state));
  const isFiltered = Object.entries(state).some(([name, value]) => (name === "age" ? value !== "any" : value.length > 0));
  const [a, b] = [...selection.ids];
  const userName = (id: number | undefined) => {
    const user = users.find((one) => one.id === id);
    return user ? displayName(user) : "";
  };
  const named = (list: readonly { id?: number; name?: string }[]) => list.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }));
  const columns: readonly Column<RunJson>[] = [
    { id: "input", header: t`Question`, cell: (run) => <span className={styles.question}><Link href={addressOf(run)}>{run.goal || run.input}</Link></span> },
    { id: "status", header: t`Status`, width: "12.5rem", isWideOnly: true, cell: ({ status }) => <RunStatus status={status} isLabelled /> },
    ...(isSuperadmin ? [{ id: "user", header: t`Person`, width: "8rem", isWideOnly: true, cell: ({ userId }: RunJson) => userName(userId) }] : []),
    { id: "model", header: t`Model`, width: "9rem", isWideOnly: true, cell: ({ llmId }) => llms.find(({ id }) => id === llmId)?.name ?? "" },
    {
      id: "tokens",
      header: t`Tokens`,
      width: "5.5rem",
      align: "end",
      isWideOnly: true,
      cell: ({ promptTokens = 0, completionTokens = 0 }) => formatCompact(Number(promptTokens) + Number(completionTokens)),
    },
    { id: "cost", header: t`Cost`, width: "6.5rem", align: "end", isWideOnly: true, cell: (run) => costOfRun(run, llms) },
    { id: "duration", header: t`Duration`, width: "6rem", align: "end", isWideOnly: true, cell: ({ durationMs }) => (Number(durationMs ?? 0) ? formatDuration(Number(durationMs)) : "") },
    {
      id: "created",
      header: t`Asked`,
      width: "6rem",
      cell: ({ creationDate }) => <Moment at={creationDate} />,
    },
  ];
  return (
    <Page
      title={t`Runs`}
      isWide
      description={t`How questions were answered: steps, tool calls, tokens and cost.`}
      actions={
        <Button disabled={selection.ids.size !== 2} title={t`Select two runs to compare them`} onClick={() => navigate(`/runs/compare?a=${a ?? ""}&b=${b ?? ""}`)}>
          <GitCompareArrows size={16} aria-hidden /> <Trans>Compare</Trans>
        </Button>
      }
    >
      <NarrowFold label={isFiltered ? t`Search and filters (in use)` : t`Search and filters`}>
        <div className={styles.filters}>
          <SearchBox label={t`Value or id of a program`} value={state.kept} onChange={(kept) => setState({ kept })} />
          <FilterSelect
            label={t`Status`}
            value={state.state[0] ?? ""}
            options={[{ value: "", label: t`All statuses` }, ...Object.entries(RUN_STATUSES).map(([value, { label }]) => ({ value: value.replace("RUN_STATUS_", "").toLowerCase(), label: t(label) }))]}
            onChange={(value) => setState({ state: value ? [value as Status] : [] })}
          />
          <FilterSelect label={t`Assistant`} value={state.assistant} options={[{ value: "", label: t`All assistants` }, ...named(assistants)]} onChange={(assistant) => setState({ assistant })} />
          <FilterSelect label={t`Model`} value={state.model} options={[{ value: "", label: t`All models` }, ...named(llms)]} onChange={(model) => setState({ model })} />
          {isSuperadmin && (
            <FilterSelect
              label={t`Person`}
              value={state.user}
              options={[
                { value: "", label: t`My runs` },
                { value: "all", label: t`Everyone` },
                ...users.map((user) => ({ value: String(user.id), label: displayName(user) })),
              ]}
              onChange={(user) => setState({ user })}
            />
          )}
          <FilterSelect label={t`Cost`} value={state.cost} options={COSTS.map((value) => ({ value, label: value ? t`From ${formatCost(Number(value))}` : t`Any cost` }))} onChange={(cost) => setState({ cost: cost as typeof state.cost })} />
          <FilterSelect
            label={t`Asked`}
            value={state.age}
            options={LIST_AGES.map((value) => ({ value, label: t(AGE_NAMES[value]) }))}
            onChange={(age) => {
              setSince(createdFrom(age as typeof state.age, new Date()));
              setState({ age: age as typeof state.age });
            }}
          />
        </div>
      </NarrowFold>
      <div className={styles.table}>
        <DataTable
          label={t`Runs`}
          columns={columns}
          rows={rows}
          idOf={({ id = "" }) => id}
          nameOf={({ goal, input = "" }) => goal || input}
          selection={selection}
          onSelect={select}
          onOpen={(run) => navigate(addressOf(run))}
          hrefOf={addressOf}
          summary={(run) => <RunSummary run={run} />}
          {...pagesOf(runs)}
          whenEmpty={<Trans>No run matches the filters.</Trans>}
        />
      </div>
    </Page>
  );
}

/** What a narrow screen shows of a run besides its question: how it ended, and why. */
function RunSummary({ run: { status, error } }: { run: RunJson }) {
  return (
    <>
      <RunStatus status={status} isLabelled />
      {error && <span className={styles.failure}>{errorWords(error.reason ?? "", error.message ?? "")}</span>}
    </>
  );
}
