// Generated from echomind/public/v1/session_share_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { SessionShareJson, SharedSessionJson } from "./session_share_pb.js";
import type { CreateSessionShareRequestJson, CreateSessionShareResponseJson, DeleteSessionShareRequestJson, ForkSharedSessionRequestJson, ListSessionSharesRequestJson, ListSessionSharesResponseJson, ReadSharedSessionRequestJson, RefreshSessionShareRequestJson } from "./session_share_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists the caller's links that are not revoked, newest first, without their secrets. Errors: NOT_FOUND (of the
 * session).
 */
export const listSessionShares = /* @__PURE__ */ call<ListSessionSharesRequestJson, ListSessionSharesResponseJson>("GET", "/api/v1/session-shares");

/**
 * Makes a link that shows a session as it is now, up to an answer. The link is in this answer and never again. Only
 * for the session's owner; audited. A link that is made with an API key expires no later than the key. Errors:
 * NOT_FOUND, PERMISSION_DENIED (sharing is switched off, or the owner may not read all that the session has drawn
 * on), VALIDATION_FAILED (there is no finished answer), RUN_ACTIVE (the answer is still being written).
 */
export const createSessionShare = /* @__PURE__ */ call<CreateSessionShareRequestJson, CreateSessionShareResponseJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/shares", "sessionShare");

/**
 * Shows readers of a link the session as it is now. The link stays the same, and so does its end, unless another one
 * is given. Audited. Errors: as CreateSessionShare.
 */
export const refreshSessionShare = /* @__PURE__ */ call<RefreshSessionShareRequestJson, SessionShareJson, "id">("POST", "/api/v1/session-shares/{id}:refresh", "*");

/** Revokes a link: it stops working at once and for good. Audited. Errors: NOT_FOUND. */
export const deleteSessionShare = /* @__PURE__ */ call<DeleteSessionShareRequestJson, EmptyJson, "id">("DELETE", "/api/v1/session-shares/{id}");

/**
 * Reads what a link shows: texts and titles of sources, and nothing else of the session. Without signing in, unless
 * the installation's settings ask for it. A link that is unknown, expired or revoked, or that does not work for
 * whatever other reason, is the same NOT_FOUND; too many of them from an address are OVERLOADED.
 */
export const readSharedSession = /* @__PURE__ */ call<ReadSharedSessionRequestJson, SharedSessionJson>("POST", "/api/v1/shared-sessions:read", "*");

/**
 * Begins a session of the caller's own with the messages that a link shows. Takes the right to read all documents that
 * the session has drawn on. Audited. Errors: NOT_FOUND (as ReadSharedSession), PERMISSION_DENIED.
 */
export const forkSharedSession = /* @__PURE__ */ call<ForkSharedSessionRequestJson, ChatSessionJson>("POST", "/api/v1/shared-sessions:fork", "*");
