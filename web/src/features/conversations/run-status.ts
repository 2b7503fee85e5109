/** Labels and icons of run statuses. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import { type ByMember, ofMember } from "@/ui/members";
import type { StatusShape } from "@/ui/StatusDot";

type Shown = Readonly<{ shape: StatusShape; label: MessageDescriptor }>;

/** Every status that a run may have, in the order in which filters list them. */
export const RUN_STATUSES: ByMember<RunStatusJson, Shown> = {
  RUN_STATUS_QUEUED: { shape: "queued", label: msg`Queued` },
  RUN_STATUS_RUNNING: { shape: "running", label: msg`Running` },
  RUN_STATUS_WAITING_FOR_INPUT: { shape: "waiting", label: msg`Waiting for you` },
  RUN_STATUS_WAITING_FOR_CHILDREN: { shape: "running", label: msg`Waiting for members or sub-agents` },
  RUN_STATUS_PAUSED: { shape: "paused", label: msg`Paused` },
  RUN_STATUS_COMPLETED: { shape: "done", label: msg`Completed` },
  RUN_STATUS_FAILED: { shape: "failed", label: msg`Failed` },
  RUN_STATUS_CANCELLED: { shape: "cancelled", label: msg`Cancelled` },
  RUN_STATUS_TIMEOUT: { shape: "failed", label: msg`Timed out` },
};

/** The icon of a status; none for some. */
export function shownStatus(status: RunStatusJson | undefined): Shown | undefined {
  return ofMember(RUN_STATUSES, status);
}
