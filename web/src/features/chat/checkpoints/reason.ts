import type { CheckpointTypeJson } from "@/gen/echomind/public/v1/checkpoint_pb";

const REASONS: Partial<Record<CheckpointTypeJson, string>> = {
  CHECKPOINT_TYPE_AUTO: "Before a change",
  CHECKPOINT_TYPE_BEFORE_TOOL: "Before a tool",
  CHECKPOINT_TYPE_MILESTONE: "Plan done",
};

/** Why a checkpoint was made, in words; empty for one that a person asked for. */
export function checkpointReason(type: CheckpointTypeJson | undefined): string {
  return (type && REASONS[type]) ?? "";
}
