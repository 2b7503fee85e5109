import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { CheckpointTypeJson } from "@/gen/echomind/public/v1/checkpoint_pb";
import { type ByMember, ofMember } from "@/ui/members";

const REASONS: ByMember<CheckpointTypeJson, MessageDescriptor | undefined> = {
  CHECKPOINT_TYPE_MANUAL: undefined,
  CHECKPOINT_TYPE_AUTO: msg`Before a change`,
  CHECKPOINT_TYPE_BEFORE_TOOL: msg`Before a tool`,
  CHECKPOINT_TYPE_MILESTONE: msg`Plan done`,
};

/** Describes why a checkpoint was created; empty for a manual one. */
export function checkpointReason(type: CheckpointTypeJson | undefined): string {
  const reason = ofMember(REASONS, type);
  return reason ? i18n._(reason) : "";
}
