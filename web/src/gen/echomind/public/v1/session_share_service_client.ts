// Generated from echomind/public/v1/session_share_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { SessionShareJson, SharedSessionJson } from "./session_share_pb.js";
import type { AddSessionShareRecipientsRequestJson, CreateSessionShareRequestJson, CreateSessionShareResponseJson, DeleteSessionShareRequestJson, ForkReceivedShareRequestJson, ForkSharedSessionRequestJson, ListReceivedSharesRequestJson, ListReceivedSharesResponseJson, ListSessionSharesRequestJson, ListSessionSharesResponseJson, PreviewSessionShareRequestJson, ReadReceivedShareRequestJson, ReadSharedSessionRequestJson, RefreshSessionShareRequestJson, RemoveSessionShareRecipientsRequestJson } from "./session_share_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists the caller's shares that are not revoked, newest first, without the secrets of links. Errors: NOT_FOUND (the
 * session).
 */
export const listSessionShares = /* @__PURE__ */ call<ListSessionSharesRequestJson, ListSessionSharesResponseJson>("GET", "/api/v1/session-shares");

/**
 * Shares the current state of a session, up to an answer: with the named people and groups, who find it among what is
 * shared with them, and by a link, which is returned by this call only. Without people and groups a link is always
 * made. Only for the session's owner; audited. A share that is created with an API key expires no later than
 * the key. Errors: NOT_FOUND (also a person or group), PERMISSION_DENIED (sharing is disabled, or the owner may not
 * read all documents that the session has drawn on), VALIDATION_FAILED (there is no finished answer), RUN_ACTIVE (the
 * answer is still being written).
 */
export const createSessionShare = /* @__PURE__ */ call<CreateSessionShareRequestJson, CreateSessionShareResponseJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/shares", "sessionShare");

/**
 * Returns what a share would show its readers, without creating it. Only for the session's owner. Errors: as
 * CreateSessionShare.
 */
export const previewSessionShare = /* @__PURE__ */ call<PreviewSessionShareRequestJson, SharedSessionJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/shares:preview", "sessionShare");

/**
 * Updates a share to the current state of the session. Its link and recipients do not change, nor does its expiry
 * unless a new one is given. Audited. Errors: as CreateSessionShare.
 */
export const refreshSessionShare = /* @__PURE__ */ call<RefreshSessionShareRequestJson, SessionShareJson, "id">("POST", "/api/v1/session-shares/{id}:refresh", "*");

/**
 * Shares it with further people and groups. Audited. Errors: NOT_FOUND (also a person or group), VALIDATION_FAILED
 * (too many).
 */
export const addSessionShareRecipients = /* @__PURE__ */ call<AddSessionShareRecipientsRequestJson, SessionShareJson, "id">("POST", "/api/v1/session-shares/{id}/recipients:add", "*");

/**
 * Takes it back from people and groups, who cannot open it any more from this moment, unless by its link or a group.
 * Audited. Errors: NOT_FOUND (also if it is not shared with one of them).
 */
export const removeSessionShareRecipients = /* @__PURE__ */ call<RemoveSessionShareRecipientsRequestJson, SessionShareJson, "id">("POST", "/api/v1/session-shares/{id}/recipients:remove", "*");

/** Revokes a share: it stops working immediately and permanently, for everybody. Audited. Errors: NOT_FOUND. */
export const deleteSessionShare = /* @__PURE__ */ call<DeleteSessionShareRequestJson, EmptyJson, "id">("DELETE", "/api/v1/session-shares/{id}");

/**
 * Reads what a link shows: texts, titles and pages of sources, the quotes that its owner chose to show, and nothing
 * else of the session. Requires no authentication, unless the installation's settings demand it. A link that is
 * unknown, expired or revoked, or that does not work for any other reason, returns the same NOT_FOUND; too many of
 * them from one address return OVERLOADED.
 */
export const readSharedSession = /* @__PURE__ */ call<ReadSharedSessionRequestJson, SharedSessionJson>("POST", "/api/v1/shared-sessions:read", "*");

/**
 * Creates a session of the caller with the messages that a link shows. The caller must have the right to read all
 * documents that the session has drawn on. Audited. Errors: NOT_FOUND (as ReadSharedSession), PERMISSION_DENIED.
 */
export const forkSharedSession = /* @__PURE__ */ call<ForkSharedSessionRequestJson, ChatSessionJson>("POST", "/api/v1/shared-sessions:fork", "*");

/** Lists what others have shared with the caller, or with a group of theirs, and they can open now; newest first. */
export const listReceivedShares = /* @__PURE__ */ call<ListReceivedSharesRequestJson, ListReceivedSharesResponseJson>("GET", "/api/v1/received-shares");

/**
 * Reads what is shared with the caller, as ReadSharedSession, without a link. Errors: NOT_FOUND (whatever the reason:
 * it expired, was revoked or taken back, the caller left the group, or it does not work for another reason).
 */
export const readReceivedShare = /* @__PURE__ */ call<ReadReceivedShareRequestJson, SharedSessionJson, "id">("GET", "/api/v1/received-shares/{id}");

/**
 * Creates a session of the caller with the messages of a session that is shared with them, as ForkSharedSession.
 * Audited. Errors: NOT_FOUND (as ReadReceivedShare), PERMISSION_DENIED.
 */
export const forkReceivedShare = /* @__PURE__ */ call<ForkReceivedShareRequestJson, ChatSessionJson, "id">("POST", "/api/v1/received-shares/{id}:fork", "*");
