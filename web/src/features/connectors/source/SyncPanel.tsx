import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type SourceAction, syncsQuery, useSourceAction } from "@/data/sources";
import { hasRole, useCurrentUser } from "@/data/users";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { formatTimestamp } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Rows } from "@/ui/Rows";
import { RemovalQuestion } from "./RemovalQuestion";
import { SyncRow } from "./SyncRow";
import styles from "./SyncPanel.module.css";

const ACTIVE = new Set(["SYNC_STATUS_PENDING", "SYNC_STATUS_RUNNING", "SYNC_STATUS_WAITING_FOR_CONFIRMATION"]);

/** How the syncs of a source fare, and what one can do about them. */
export function SyncPanel({ connector, mayManage }: { connector: ConnectorJson; mayManage: boolean }) {
  const { t } = useLingui();
  const user = useCurrentUser();
  const { id = 0, sync, pausedAt, status, nextSyncAt } = connector;
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
      {!pausedAt && !isDisabled && nextSyncAt && !isActive && <p className={styles.next}>{t`Next sync: ${formatTimestamp(nextSyncAt)}`}</p>}
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
