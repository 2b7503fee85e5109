import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type SourceAction, syncsQuery, useSourceAction } from "@/data/sources";
import { hasRole, useCurrentUser } from "@/data/users";
import type { ConnectorJson, SyncErrorKindJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { formatTimestamp } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";
import { Notice } from "@/ui/Notice";
import { Rows } from "@/ui/Rows";
import { RemovalQuestion } from "./RemovalQuestion";
import { SyncRow } from "./SyncRow";
import styles from "./SyncPanel.module.css";

const ACTIVE = new Set(["SYNC_STATUS_PENDING", "SYNC_STATUS_RUNNING", "SYNC_STATUS_WAITING_FOR_CONFIRMATION"]);

/** The syncs of a source, and their actions. */
export function SyncPanel({ connector, mayManage }: { connector: ConnectorJson; mayManage: boolean }) {
  const { t } = useLingui();
  const user = useCurrentUser();
  const { id = 0, sync, pausedAt, status } = connector;
  const { data: syncs } = useQuery(syncsQuery(id));
  const action = useSourceAction(id);
  const isActive = ACTIVE.has(sync?.status ?? "");
  const isDisabled = status === "CONNECTOR_STATUS_DISABLED";
  const button = (name: SourceAction, label: string) => (
    <Button onClick={() => action.mutate(name)} disabled={action.isPending}>
      {label}
    </Button>
  );
  return (
    <section className={styles.panel} aria-label={t`Syncs`}>
      <header className={styles.header}>
        <h2>
          <Trans>Syncs</Trans>
        </h2>
        {mayManage && (
          <div className={styles.actions}>
            {isActive && button("cancel", t`Cancel`)}
            {!isActive && !pausedAt && !isDisabled && button("sync", t`Sync now`)}
            {!isActive && !pausedAt && !isDisabled && button("syncFully", t`Read everything again`)}
            {!isDisabled && (pausedAt ? button("resume", t`Resume`) : button("pause", t`Pause`))}
            {hasRole(user, "ROLE_SUPERADMIN") && (isDisabled ? button("enable", t`Enable`) : button("disable", t`Disable`))}
          </div>
        )}
      </header>
      {action.error && <Notice tone="danger">{action.error.message}</Notice>}
      {pausedAt && <Notice tone="warn">{t`Paused since ${formatTimestamp(pausedAt)}: nothing is read until it is resumed.`}</Notice>}
      {!pausedAt && !isDisabled && !isActive && <NextSync connector={connector} />}
      {mayManage && sync?.status === "SYNC_STATUS_WAITING_FOR_CONFIRMATION" && <RemovalQuestion sync={sync} />}
      {syncs && (
        <Rows label={t`Syncs`} whenEmpty={t`Nothing was read yet.`}>
          {syncs.map((each) => (
            <SyncRow key={each.id} sync={each} mayManage={mayManage} />
          ))}
        </Rows>
      )}
    </section>
  );
}

/** The next sync of a source, or what to do after a failure. */
function NextSync({ connector: { status, nextSyncAt, sync } }: { connector: ConnectorJson }) {
  const { t } = useLingui();
  const when = formatTimestamp(nextSyncAt);
  if (status !== "CONNECTOR_STATUS_ERROR") return nextSyncAt ? <p className={styles.next}>{t`Next sync: ${when}`}</p> : null;
  const todo: ByMember<SyncErrorKindJson, string | undefined> = {
    SYNC_ERROR_KIND_UNAVAILABLE: undefined,
    SYNC_ERROR_KIND_INTERNAL: undefined,
    SYNC_ERROR_KIND_CREDENTIALS: t`Sign in again, or enter its access under Settings.`,
    SYNC_ERROR_KIND_SETTINGS: t`Change its settings, or what the message names.`,
    SYNC_ERROR_KIND_ITEMS: t`Find out what could not be read, and fix it.`,
  };
  const help = ofMember(todo, sync?.errorKind) ?? "";
  return <p className={styles.next}>{[nextSyncAt ? t`It is retried automatically: ${when}.` : t`It is not retried automatically.`, help].join(" ")}</p>;
}
