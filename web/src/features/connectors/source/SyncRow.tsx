import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { serverWords } from "@/api/error-words";
import type { ConnectorSyncJson, SyncStatusJson } from "@/gen/echomind/public/v1/connector_pb";
import { Badge } from "@/ui/Badge";
import { formatNumber, formatTimestamp } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";
import { Row } from "@/ui/Rows";
import { FailuresButton } from "./FailuresButton";

const STATUSES: ByMember<SyncStatusJson, { label: MessageDescriptor; tone: "neutral" | "accent" | "warn" | "danger" }> = {
  SYNC_STATUS_PENDING: { label: msg`Waiting`, tone: "neutral" },
  SYNC_STATUS_RUNNING: { label: msg`Running`, tone: "accent" },
  SYNC_STATUS_WAITING_FOR_CONFIRMATION: { label: msg`Needs confirmation`, tone: "warn" },
  SYNC_STATUS_COMPLETED: { label: msg`Completed`, tone: "neutral" },
  SYNC_STATUS_NEEDS_ATTENTION: { label: msg`Needs attention`, tone: "warn" },
  SYNC_STATUS_FAILED: { label: msg`Failed`, tone: "danger" },
  SYNC_STATUS_CANCELLED: { label: msg`Cancelled`, tone: "neutral" },
};

/** A sync: its counts and its failures. */
export function SyncRow({ sync, mayManage }: { sync: ConnectorSyncJson; mayManage: boolean }) {
  const { t } = useLingui();
  const state = ofMember(STATUSES, sync.status);
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
    <Row
      name={formatTimestamp(sync.startedAt ?? sync.creationDate)}
      badges={state && <Badge tone={state.tone}>{t(state.label)}</Badge>}
      facts={facts.filter(Boolean)}
      actions={mayManage && (sync.failures ?? 0) > 0 && <FailuresButton sync={sync} />}
    />
  );
}
