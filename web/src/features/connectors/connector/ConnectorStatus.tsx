import { useLingui } from "@lingui/react/macro";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { Badge } from "@/ui/Badge";
import { ofMember } from "@/ui/members";
import { STATES } from "./labels";

/** A connector's state, when there is something to know of it. */
export function ConnectorStatus({ connector: { status, sync } }: { connector: ConnectorJson }) {
  const { t } = useLingui();
  if (sync?.status === "SYNC_STATUS_WAITING_FOR_CONFIRMATION") return <Badge tone="warn">{t`Needs confirmation`}</Badge>;
  const state = ofMember(STATES, status);
  return state ? <Badge tone={state.tone}>{t(state.label)}</Badge> : null;
}
