import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { auditQuery, exportAuditLog, verifyWholeLog } from "@/data/audit";
import { displayName, usersQuery } from "@/data/users";
import type { AuditEntryJson } from "@/gen/echomind/public/v1/audit_pb";
import { AGE_NAMES, createdFrom, LIST_AGES } from "@/ui/ages";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { FilterSelect, SearchBox } from "@/ui/filters";
import { Moment } from "@/ui/Moment";
import { NarrowFold } from "@/ui/NarrowFold";
import { Page } from "@/ui/Page";
import { useSearchState } from "@/ui/search-state";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { showFailure } from "@/ui/toasts";
import { EntryDialog } from "./EntryDialog";
import { ACTIONS, filterOf, STATE } from "./filter";
import { VerifyNotice } from "./VerifyNotice";
import { targetOf, whoOf } from "./who";
import { actionWords } from "./words";
import styles from "./AuditPage.module.css";

/** The audit log with filters, its export and its verification. */
export function AuditPage() {
  const { t } = useLingui();
  const [state, setState] = useSearchState(STATE);
  const [since, setSince] = useState(() => createdFrom(state.age, new Date()));
  const [opened, setOpened] = useState<AuditEntryJson>();
  const { data: users = [] } = useQuery(usersQuery);
  const filter = filterOf(state, since);
  const found = useInfiniteQuery(auditQuery(filter));
  const entries = found.data?.pages.flatMap((page) => page.entries ?? []);
  const days = found.data?.pages[0]?.retentionDays ?? 0;
  const save = useMutation({ mutationFn: () => exportAuditLog(filter), onSuccess: (file) => download(file), onError: showFailure });
  const verify = useMutation({ mutationFn: verifyWholeLog, onError: showFailure });
  const isFiltered = Object.entries(state).some(([name, value]) => value !== (name === "age" ? "any" : name === "outcome" ? "all" : ""));
  const kept = days > 0 ? plural(days, { one: "Entries are kept for # day.", other: "Entries are kept for # days." }) : t`Entries are kept for ever.`;
  const columns: readonly Column<AuditEntryJson>[] = [
    { id: "action", header: t`Action`, cell: ({ action = "" }) => <span className={styles.action}>{actionWords(action) ?? action}</span> },
    { id: "target", header: t`Target`, width: "11rem", isWideOnly: true, cell: (entry) => <span className={styles.action}>{targetOf(entry)}</span> },
    { id: "who", header: t`Person`, width: "9rem", isWideOnly: true, cell: whoOf },
    { id: "outcome", header: t`Outcome`, width: "8rem", isWideOnly: true, cell: (entry) => <Outcome entry={entry} /> },
    { id: "from", header: t`Address`, width: "9rem", isWideOnly: true, cell: ({ address }) => address },
    {
      id: "time",
      header: t`Time`,
      width: "6rem",
      cell: ({ creationDate }) => <Moment at={creationDate} />,
    },
  ];
  return (
    <Page
      title={t`Audit log`}
      section={t`Administration`}
      isWide
      description={t`Who has changed, shared, exported or been refused what. Reading it is recorded, too.` + ` ${kept}`}
      actions={
        <>
          <Button disabled={verify.isPending} onClick={() => verify.mutate()}>
            <ShieldCheck size={16} aria-hidden /> <Trans>Verify</Trans>
          </Button>
          <Button disabled={save.isPending} onClick={() => save.mutate()}>
            <Download size={16} aria-hidden /> <Trans>Export</Trans>
          </Button>
        </>
      }
    >
      {verify.data && <VerifyNotice result={verify.data} />}
      <NarrowFold label={isFiltered ? t`Search and filters (in use)` : t`Search and filters`}>
        <div className={styles.filters}>
          <SearchBox label={t`Target, address or credential`} value={state.about} onChange={(about) => setState({ about })} />
          <FilterSelect label={t`Action`} value={state.action} options={ACTIONS.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(action) => setState({ action })} />
          <FilterSelect
            label={t`Person`}
            value={state.user}
            options={[{ value: "", label: t`Everyone` }, ...users.map((user) => ({ value: String(user.id), label: displayName(user) }))]}
            onChange={(user) => setState({ user })}
          />
          <FilterSelect
            label={t`Outcome`}
            value={state.outcome}
            options={[
              { value: "all", label: t`Any outcome` },
              { value: "done", label: t({ message: `Done`, context: "call" }) },
              { value: "denied", label: t`Refused` },
            ]}
            onChange={(outcome) => setState({ outcome: outcome as typeof state.outcome })}
          />
          <FilterSelect
            label={t`Period`}
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
          label={t`Audit log`}
          columns={columns}
          rows={entries}
          idOf={({ id = "" }) => id}
          nameOf={({ action = "", id = "" }) => `${actionWords(action) ?? action} ${id}`}
          onOpen={setOpened}
          summary={(entry) => (
            <>
              {[whoOf(entry), targetOf(entry)].filter(Boolean).join(" · ")} {entry.denied && <Outcome entry={entry} />}
            </>
          )}
          {...pagesOf(found)}
          whenEmpty={<Trans>No entry matches the filters.</Trans>}
        />
      </div>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function Outcome({ entry: { denied = false, count = 1 } }: { entry: AuditEntryJson }) {
  const { t } = useLingui();
  const times = count > 1 ? ` (${count}×)` : "";
  return denied ? <Badge tone="danger">{t`Refused` + times}</Badge> : <>{t({ message: `Done`, context: "call" })}</>;
}

function download(file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = `echomind-audit-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(url);
}
