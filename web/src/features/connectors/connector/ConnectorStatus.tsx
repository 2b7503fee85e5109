import { useLingui } from "@lingui/react/macro";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { Badge } from "@/ui/Badge";
import { STATES } from "./labels";

/** A connector's state, when there is something to know of it. */
export function ConnectorStatus({ connector: { status } }: { connector: ConnectorJson }) {
  const { t } = useLingui();
  const state = status && STATES[status];
  return state ? <Badge tone={state.tone}>{t(state.label)}</Badge> : null;
}
