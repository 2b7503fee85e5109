// Generated from echomind/public/v1/chat_message_service.proto by tools/typescript_client.py. Do not edit.

import { call, stream } from "@/api/call";
import type { ChatMessageJson, FeedbackJson } from "./chat_message_pb.js";
import type { DeleteCitationFeedbackRequestJson, DeleteFeedbackRequestJson, EditMessageRequestJson, ExcludeMessageRequestJson, GetMessageRequestJson, ListCitationsRequestJson, ListCitationsResponseJson, ListMessagesRequestJson, ListMessagesResponseJson, RegenerateMessageRequestJson, SendMessageRequestJson, SendMessageResponseJson, SetCitationFeedbackRequestJson, SetFeedbackRequestJson } from "./chat_message_service_pb.js";
import type { SessionEventJson } from "./session_event_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Asks: stores the question, queues its run and answers at once. While a run of the session waits for a text, the text
 * is the answer to it, and the run is queued again. Errors: NOT_FOUND, RUN_ACTIVE, AMBIGUOUS_INPUT (several runs of the
 * session wait), ASSISTANT_UNAVAILABLE, LLM_UNAVAILABLE, DOCUMENT_NOT_READY (an attached one is not indexed yet),
 * VALIDATION_FAILED (documents are attached to the answer to a run).
 */
export const sendMessage = /* @__PURE__ */ call<SendMessageRequestJson, SendMessageResponseJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/messages", "*");

/**
 * Asks as SendMessage does, and streams the run's events until it ends. Leaving the stream does not stop the run.
 * Errors: those of SendMessage, SLOW_READER.
 */
export const streamMessage = /* @__PURE__ */ stream<SendMessageRequestJson, SessionEventJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/messages:stream", "*");

/**
 * Asks a question again in other words: the edited one becomes a sibling with the same documents, and its run answers
 * it. What followed the old one stays as another branch. Errors: NOT_FOUND, RUN_ACTIVE,
 * VALIDATION_FAILED (it is not a question).
 */
export const editMessage = /* @__PURE__ */ call<EditMessageRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/messages/{id}:edit", "*");

/** Answers the same question once more, beside the answer that there is. Errors: NOT_FOUND, RUN_ACTIVE. */
export const regenerateMessage = /* @__PURE__ */ call<RegenerateMessageRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/messages/{id}:regenerate", "*");

/**
 * Leaves a message out of later prompts, or puts it back; it stays readable, and an event tells of it.
 * Errors: NOT_FOUND.
 */
export const excludeMessage = /* @__PURE__ */ call<ExcludeMessageRequestJson, ChatMessageJson, "id">("POST", "/api/v1/messages/{id}:exclude", "*");

/** Lists the messages of a session's shown branch, oldest first, with their citations. Errors: NOT_FOUND. */
export const listMessages = /* @__PURE__ */ call<ListMessagesRequestJson, ListMessagesResponseJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/messages");

/** Reads one message with its citations. Errors: NOT_FOUND. */
export const getMessage = /* @__PURE__ */ call<GetMessageRequestJson, ChatMessageJson, "id">("GET", "/api/v1/messages/{id}");

/** Lists a message's citations by number. Errors: NOT_FOUND. */
export const listCitations = /* @__PURE__ */ call<ListCitationsRequestJson, ListCitationsResponseJson, "id">("GET", "/api/v1/messages/{id}/citations");

/**
 * Rates an answer as the caller; replaces their earlier rating. Messages are read with it. In a notebook all members
 * rate the answers that they may read. Errors: NOT_FOUND, PERMISSION_DENIED (of another person's conversation).
 */
export const setFeedback = /* @__PURE__ */ call<SetFeedbackRequestJson, FeedbackJson, "id">("PUT", "/api/v1/messages/{id}/feedback", "feedback");

/** Withdraws the caller's rating of an answer; does nothing when there is none. Errors: NOT_FOUND. */
export const deleteFeedback = /* @__PURE__ */ call<DeleteFeedbackRequestJson, EmptyJson, "id">("DELETE", "/api/v1/messages/{id}/feedback");

/**
 * Rates a passage that an answer cites, as the caller; replaces their earlier rating of it. Citations are read with it.
 * From then on the passage ranks higher or lower for questions like the one that was answered: for the caller; for
 * everybody when the caller manages the document; and by one place at most when two other people agree. Who may rate
 * is as in SetFeedback. Errors: NOT_FOUND when the answer does not cite it, or the caller may not read its document
 * (any more), PERMISSION_DENIED.
 */
export const setCitationFeedback = /* @__PURE__ */ call<SetCitationFeedbackRequestJson, FeedbackJson, "messageId" | "chunkId">("PUT", "/api/v1/messages/{messageId}/citations/{chunkId}/feedback", "feedback");

/** Withdraws the caller's rating of a passage that an answer cites; does nothing when there is none. Errors: NOT_FOUND. */
export const deleteCitationFeedback = /* @__PURE__ */ call<DeleteCitationFeedbackRequestJson, EmptyJson, "messageId" | "chunkId">("DELETE", "/api/v1/messages/{messageId}/citations/{chunkId}/feedback");
