// Generated from echomind/public/v1/chat_message_service.proto by tools/typescript_client.py. Do not edit.

import { call, stream } from "@/api/call";
import type { ChatMessageJson, FeedbackJson } from "./chat_message_pb.js";
import type { DeleteCitationFeedbackRequestJson, DeleteFeedbackRequestJson, EditMessageRequestJson, ExcludeMessageRequestJson, GetMessageRequestJson, ListCitationsRequestJson, ListCitationsResponseJson, ListMessagesRequestJson, ListMessagesResponseJson, RegenerateMessageRequestJson, SendMessageRequestJson, SendMessageResponseJson, SetCitationFeedbackRequestJson, SetFeedbackRequestJson } from "./chat_message_service_pb.js";
import type { SessionEventJson } from "./session_event_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Sends a question: stores it, queues its run and returns immediately. If a run of the session is waiting for text,
 * the message is the answer to it, and that run is queued again. Errors: NOT_FOUND, RUN_ACTIVE, AMBIGUOUS_INPUT
 * (several runs of the session wait), ASSISTANT_UNAVAILABLE, LLM_UNAVAILABLE, DOCUMENT_NOT_READY (an attached
 * document is not indexed yet), VALIDATION_FAILED (documents are attached to the answer to a run).
 */
export const sendMessage = /* @__PURE__ */ call<SendMessageRequestJson, SendMessageResponseJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/messages", "*");

/**
 * Sends a question as SendMessage does, and streams the events of the run until it ends. Closing the stream does not
 * stop the run. Errors: those of SendMessage, SLOW_READER.
 */
export const streamMessage = /* @__PURE__ */ stream<SendMessageRequestJson, SessionEventJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/messages:stream", "*");

/**
 * Edits a question: the new text is stored as an alternative with the same documents, and a run answers it. The
 * messages after the old one stay as another branch. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is not a
 * question).
 */
export const editMessage = /* @__PURE__ */ call<EditMessageRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/messages/{id}:edit", "*");

/**
 * Generates another answer to the same question, as an alternative to the existing one. Errors: NOT_FOUND,
 * RUN_ACTIVE.
 */
export const regenerateMessage = /* @__PURE__ */ call<RegenerateMessageRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/messages/{id}:regenerate", "*");

/**
 * Excludes a message from later prompts, or includes it again; it stays readable, and an event reports the change.
 * Errors: NOT_FOUND.
 */
export const excludeMessage = /* @__PURE__ */ call<ExcludeMessageRequestJson, ChatMessageJson, "id">("POST", "/api/v1/messages/{id}:exclude", "*");

/** Lists the messages of a session's current branch, oldest first, with their citations. Errors: NOT_FOUND. */
export const listMessages = /* @__PURE__ */ call<ListMessagesRequestJson, ListMessagesResponseJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/messages");

/** Reads one message with its citations. Errors: NOT_FOUND. */
export const getMessage = /* @__PURE__ */ call<GetMessageRequestJson, ChatMessageJson, "id">("GET", "/api/v1/messages/{id}");

/** Lists a message's citations by number. Errors: NOT_FOUND. */
export const listCitations = /* @__PURE__ */ call<ListCitationsRequestJson, ListCitationsResponseJson, "id">("GET", "/api/v1/messages/{id}/citations");

/**
 * Sets the caller's rating of an answer, replacing an earlier one. Messages include it. In a notebook every member
 * can rate the answers that they may read. Errors: NOT_FOUND, PERMISSION_DENIED (another user's conversation),
 * VALIDATION_FAILED (a question).
 */
export const setFeedback = /* @__PURE__ */ call<SetFeedbackRequestJson, FeedbackJson, "id">("PUT", "/api/v1/messages/{id}/feedback", "feedback");

/** Deletes the caller's rating of an answer, if there is one. Errors: NOT_FOUND. */
export const deleteFeedback = /* @__PURE__ */ call<DeleteFeedbackRequestJson, EmptyJson, "id">("DELETE", "/api/v1/messages/{id}/feedback");

/**
 * Sets the caller's rating of a passage that an answer cites, replacing an earlier one. Citations include it. From
 * then on the passage ranks higher or lower for similar questions: for the caller; for everyone if the caller manages
 * the document; and by at most one position if two other users agree. Same access rules as SetFeedback. Errors:
 * NOT_FOUND (the answer does not cite it, or the caller may not, or no longer, read its document), PERMISSION_DENIED.
 */
export const setCitationFeedback = /* @__PURE__ */ call<SetCitationFeedbackRequestJson, FeedbackJson, "messageId" | "chunkId">("PUT", "/api/v1/messages/{messageId}/citations/{chunkId}/feedback", "feedback");

/** Deletes the caller's rating of a passage that an answer cites, if there is one. Errors: NOT_FOUND. */
export const deleteCitationFeedback = /* @__PURE__ */ call<DeleteCitationFeedbackRequestJson, EmptyJson, "messageId" | "chunkId">("DELETE", "/api/v1/messages/{messageId}/citations/{chunkId}/feedback");
