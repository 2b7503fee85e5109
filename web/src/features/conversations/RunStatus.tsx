import { useLingui } from "@lingui/react/macro";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import { StatusDot } from "@/ui/StatusDot";
import { shownStatus } from "./run-status";

/** The status of a run: an icon, with a label beside it or for screen readers. */
export function RunStatus({ status, isLabelled = false }: { status: RunStatusJson | undefined; isLabelled?: boolean }) {
  const { t } = useLingui();
  const shown = shownStatus(status);
  return shown && <StatusDot shape={shown.shape} label={t(shown.label)} isLabelled={isLabelled} />;
}
