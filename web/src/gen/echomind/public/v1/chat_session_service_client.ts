// Generated from echomind/public/v1/chat_session_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { CancelChatSessionRequestJson, CreateChatSessionRequestJson, DeleteChatSessionRequestJson, ExportChatSessionRequestJson, ExportChatSessionResponseJson, ForkChatSessionRequestJson, GetChatSessionRequestJson, ListChatSessionsRequestJson, ListChatSessionsResponseJson, MoveHeadRequestJson, PauseChatSessionRequestJson, PurgeChatSessionRequestJson, RestoreChatSessionRequestJson, ResumeChatSessionRequestJson, SearchChatSessionsRequestJson, SearchChatSessionsResponseJson, SummarizeChatSessionRequestJson, UpdateChatSessionRequestJson } from "./chat_session_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists sessions: pinned ones first, each group by newest message. */
export const listChatSessions = /* @__PURE__ */ call<ListChatSessionsRequestJson, ListChatSessionsResponseJson>("GET", "/api/v1/chat-sessions");

/**
 * Searches titles and messages of sessions, including archived ones; returns the session with the newest message
 * first. All words must occur in the same session; parts of words match, case-insensitively.
 */
export const searchChatSessions = /* @__PURE__ */ call<SearchChatSessionsRequestJson, SearchChatSessionsResponseJson>("GET", "/api/v1/chat-sessions:search");

/** Reads one session. Errors: NOT_FOUND. */
export const getChatSession = /* @__PURE__ */ call<GetChatSessionRequestJson, ChatSessionJson, "id">("GET", "/api/v1/chat-sessions/{id}");

/** Creates a session. Errors: NOT_FOUND (the assistant). */
export const createChatSession = /* @__PURE__ */ call<CreateChatSessionRequestJson, ChatSessionJson>("POST", "/api/v1/chat-sessions", "chatSession");

/**
 * Updates `title`, `assistant_id`, `mode`, `goal`, `preferences`, `pinned`, `archived` or `without_memory`. Errors:
 * NOT_FOUND.
 */
export const updateChatSession = /* @__PURE__ */ call<Omit<UpdateChatSessionRequestJson, "updateMask">, ChatSessionJson, "id">("PATCH", "/api/v1/chat-sessions/{id}", "chatSession");

/** Pauses the session's run and its sub-runs, see PauseRun. Errors: NOT_FOUND, RUN_STATE (no run can be paused). */
export const pauseChatSession = /* @__PURE__ */ call<PauseChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:pause", "*");

/** Resumes the session's run and its sub-runs, see ResumeRun. Errors: NOT_FOUND, RUN_STATE (no run is paused). */
export const resumeChatSession = /* @__PURE__ */ call<ResumeChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:resume", "*");

/**
 * Cancels the session's run and its sub-runs, see CancelRun; a session without an active run is returned unchanged.
 * Errors: NOT_FOUND.
 */
export const cancelChatSession = /* @__PURE__ */ call<CancelChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:cancel", "*");

/** Removes a session; its active run is cancelled. Errors: NOT_FOUND. */
export const deleteChatSession = /* @__PURE__ */ call<DeleteChatSessionRequestJson, EmptyJson, "id">("DELETE", "/api/v1/chat-sessions/{id}");

/**
 * Restores a removed session, unless it was purged; cancelled runs stay cancelled. A session that is not removed is
 * returned unchanged. Errors: NOT_FOUND, VALIDATION_FAILED (its notebook was removed: restore that).
 */
export const restoreChatSession = /* @__PURE__ */ call<RestoreChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:restore", "*");

/** Exports the current branch of a session as a file: questions, answers and their sources. Errors: NOT_FOUND. */
export const exportChatSession = /* @__PURE__ */ call<ExportChatSessionRequestJson, ExportChatSessionResponseJson, "id">("GET", "/api/v1/chat-sessions/{id}:export");

/**
 * Deletes a session permanently, also a removed one: messages, runs, steps, events, citations, todos and checkpoints.
 * Active runs are cancelled first. Forks are kept. Only for its owner; audited. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const purgeChatSession = /* @__PURE__ */ call<PurgeChatSessionRequestJson, EmptyJson, "id">("POST", "/api/v1/chat-sessions/{id}:purge", "*");

/**
 * Moves the head of a session: switches to another branch, or undoes the last messages. The messages after the new
 * head stay readable, and the next question follows the head. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is
 * not an answer).
 */
export const moveHead = /* @__PURE__ */ call<MoveHeadRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:moveHead", "*");

/**
 * Creates a new session with the messages up to an answer. Errors: NOT_FOUND, VALIDATION_FAILED (it is not an
 * answer), RUN_ACTIVE (the answer is still being written).
 */
export const forkChatSession = /* @__PURE__ */ call<ForkChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:fork", "*");

/**
 * Requests a summary of earlier messages, so that later prompts are shorter. It is written in the background; an
 * event reports the result. Errors: NOT_FOUND, LLM_UNAVAILABLE (the assistant has no chat model that can summarize).
 */
export const summarizeChatSession = /* @__PURE__ */ call<SummarizeChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:summarize", "*");
