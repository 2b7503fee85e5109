// Generated from echomind/public/v1/session_share_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { SessionShareJson, SharedSessionJson } from "./session_share_pb.js";
import type { CreateSessionShareRequestJson, CreateSessionShareResponseJson, DeleteSessionShareRequestJson, ForkSharedSessionRequestJson, ListSessionSharesRequestJson, ListSessionSharesResponseJson, ReadSharedSessionRequestJson, RefreshSessionShareRequestJson } from "./session_share_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists the caller's links that are not revoked, newest first, without their secrets. Errors: NOT_FOUND (the
 * session).
 */
export const listSessionShares = /* @__PURE__ */ call<ListSessionSharesRequestJson, ListSessionSharesResponseJson>("GET", "/api/v1/session-shares");

/**
 * Creates a link to the current state of a session, up to an answer. The link is returned by this call only. Only for
 * the session's owner; audited. A link that is created with an API key expires no later than the key. Errors:
 * NOT_FOUND, PERMISSION_DENIED (sharing is disabled, or the owner may not read all documents that the session has
 * drawn on), VALIDATION_FAILED (there is no finished answer), RUN_ACTIVE (the answer is still being written).
 */
export const createSessionShare = /* @__PURE__ */ call<CreateSessionShareRequestJson, CreateSessionShareResponseJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/shares", "sessionShare");

/**
 * Updates a link to the current state of the session. The link does not change, nor does its expiry unless a new one
 * is given. Audited. Errors: as CreateSessionShare.
 */
export const refreshSessionShare = /* @__PURE__ */ call<RefreshSessionShareRequestJson, SessionShareJson, "id">("POST", "/api/v1/session-shares/{id}:refresh", "*");

/** Revokes a link: it stops working immediately and permanently. Audited. Errors: NOT_FOUND. */
export const deleteSessionShare = /* @__PURE__ */ call<DeleteSessionShareRequestJson, EmptyJson, "id">("DELETE", "/api/v1/session-shares/{id}");

/**
 * Reads what a link shows: texts and titles of sources, and nothing else of the session. Requires no authentication,
 * unless the installation's settings demand it. A link that is unknown, expired or revoked, or that does not work for
 * any other reason, returns the same NOT_FOUND; too many of them from one address return OVERLOADED.
 */
export const readSharedSession = /* @__PURE__ */ call<ReadSharedSessionRequestJson, SharedSessionJson>("POST", "/api/v1/shared-sessions:read", "*");

/**
 * Creates a session of the caller with the messages that a link shows. The caller must have the right to read all
 * documents that the session has drawn on. Audited. Errors: NOT_FOUND (as ReadSharedSession), PERMISSION_DENIED.
 */
export const forkSharedSession = /* @__PURE__ */ call<ForkSharedSessionRequestJson, ChatSessionJson>("POST", "/api/v1/shared-sessions:fork", "*");
