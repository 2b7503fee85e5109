/** What the chat pages read and change of a session's checkpoints. */
import { request } from "@/api/http";
import { pagedQuery } from "@/api/pages";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type { CheckpointJson, CheckpointTypeJson } from "@/gen/echomind/public/v1/checkpoint_pb";
import type { ListCheckpointsResponseJson } from "@/gen/echomind/public/v1/checkpoint_service_pb";

/** A session's checkpoints, newest first. */
export const checkpointsQuery = (session: string) =>
  pagedQuery<ListCheckpointsResponseJson>(["checkpoints", session], `/api/v1/chat-sessions/${session}/checkpoints`);

export function createCheckpoint(session: string, name: string): Promise<CheckpointJson> {
  return request("POST", `/api/v1/chat-sessions/${session}/checkpoints`, { body: { name } });
}

export function restoreCheckpoint(id: string): Promise<ChatSessionJson> {
  return request("POST", `/api/v1/checkpoints/${id}:restore`, { body: {} });
}

export function deleteCheckpoint(id: string): Promise<unknown> {
  return request("DELETE", `/api/v1/checkpoints/${id}`);
}

const REASONS: Partial<Record<CheckpointTypeJson, string>> = {
  CHECKPOINT_TYPE_AUTO: "Before a change",
  CHECKPOINT_TYPE_BEFORE_TOOL: "Before a tool",
  CHECKPOINT_TYPE_MILESTONE: "Plan done",
};

/** Why a checkpoint was made, in words; empty for one that a person asked for. */
export function checkpointReason(type: CheckpointTypeJson | undefined): string {
  return (type && REASONS[type]) ?? "";
}
