// Generated from echomind/public/v1/checkpoint_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { CheckpointJson } from "./checkpoint_pb.js";
import type { CreateCheckpointRequestJson, DeleteCheckpointRequestJson, GetCheckpointRequestJson, ListCheckpointsRequestJson, ListCheckpointsResponseJson, RestoreCheckpointRequestJson } from "./checkpoint_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists a session's checkpoints, newest first. Errors: NOT_FOUND. */
export const listCheckpoints = /* @__PURE__ */ call<ListCheckpointsRequestJson, ListCheckpointsResponseJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/checkpoints");

/** Reads one checkpoint with its state. Errors: NOT_FOUND. */
export const getCheckpoint = /* @__PURE__ */ call<GetCheckpointRequestJson, CheckpointJson, "id">("GET", "/api/v1/checkpoints/{id}");

/** Creates a checkpoint of a session's current state. Errors: NOT_FOUND. */
export const createCheckpoint = /* @__PURE__ */ call<CreateCheckpointRequestJson, CheckpointJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/checkpoints", "checkpoint");

/**
 * Restores a checkpoint: later messages stay as a branch; todos and context are restored. The previous state is saved
 * as an automatic checkpoint. Errors: NOT_FOUND, RUN_ACTIVE.
 */
export const restoreCheckpoint = /* @__PURE__ */ call<RestoreCheckpointRequestJson, ChatSessionJson, "id">("POST", "/api/v1/checkpoints/{id}:restore", "*");

/** Deletes a checkpoint. Errors: NOT_FOUND. */
export const deleteCheckpoint = /* @__PURE__ */ call<DeleteCheckpointRequestJson, EmptyJson, "id">("DELETE", "/api/v1/checkpoints/{id}");
