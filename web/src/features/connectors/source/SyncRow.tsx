import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { failuresQuery } from "@/data/sources";
import type { ConnectorSyncJson, SyncStatusJson } from "@/gen/echomind/public/v1/connector_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { formatNumber, formatTimestamp } from "@/ui/format";
import { Row } from "@/ui/Rows";
import styles from "./SyncPanel.module.css";

const STATUSES: Partial<Record<SyncStatusJson, { label: MessageDescriptor; tone: "neutral" | "accent" | "warn" | "danger" }>> = {
  SYNC_STATUS_PENDING: { label: msg`Waiting`, tone: "neutral" },
  SYNC_STATUS_RUNNING: { label: msg`Running`, tone: "accent" },
  SYNC_STATUS_WAITING_FOR_CONFIRMATION: { label: msg`Needs confirmation`, tone: "warn" },
  SYNC_STATUS_COMPLETED: { label: msg`Completed`, tone: "neutral" },
  SYNC_STATUS_FAILED: { label: msg`Failed`, tone: "danger" },
  SYNC_STATUS_CANCELLED: { label: msg`Cancelled`, tone: "neutral" },
};

/** A sync: its counts and its failures. */
export function SyncRow({ sync, mayManage }: { sync: ConnectorSyncJson; mayManage: boolean }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const state = STATUSES[sync.status ?? "SYNC_STATUS_UNSPECIFIED"];
  const failed = sync.documentsFailed ?? 0;
  const facts = [
    sync.kind === "SYNC_KIND_FULL" ? t`Everything` : t`Changes`,
    t`Listed: ${formatNumber(sync.documentsSeen ?? 0)}`,
    t`New: ${formatNumber(sync.documentsAdded ?? 0)}`,
    t`Changed: ${formatNumber(sync.documentsUpdated ?? 0)}`,
    t`Removed: ${formatNumber(sync.documentsRemoved ?? 0)}`,
    failed > 0 && t`Not readable: ${formatNumber(failed)}`,
    serverWords(sync.error || sync.warning),
  ];
  return (
    <>
      <Row
        name={formatTimestamp(sync.startedAt ?? sync.creationDate)}
        badges={state && <Badge tone={state.tone}>{t(state.label)}</Badge>}
        facts={facts.filter(Boolean)}
        actions={
          mayManage &&
          failed > 0 && (
            <Button onClick={() => setOpen(true)}>
              <Trans>Show failures</Trans>
            </Button>
          )
        }
      />
      {isOpen && <Failures sync={sync} onClose={() => setOpen(false)} />}
    </>
  );
}

function Failures({ sync, onClose }: { sync: ConnectorSyncJson; onClose: () => void }) {
  const { t } = useLingui();
  const { data } = useQuery(failuresQuery(sync));
  return (
    <Dialog title={t`Items that could not be read`} isWide onClose={onClose}>
      <ul className={styles.list}>
        {data?.map(({ sourceId = "", name = "", message = "", isRetryable = false, resolvedAt }, index) => (
          <li key={index}>
            <strong>{name || sourceId || t`An item that you may not read at the source`}</strong>: {serverWords(message)} {resolvedAt ? t`Read since.` : isRetryable && t`The next sync tries it again.`}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
