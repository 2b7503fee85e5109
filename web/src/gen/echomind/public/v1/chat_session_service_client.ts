// Generated from echomind/public/v1/chat_session_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ChatSessionJson } from "./chat_session_pb.js";
import type { CancelChatSessionRequestJson, CreateChatSessionRequestJson, DeleteChatSessionRequestJson, ExportChatSessionRequestJson, ExportChatSessionResponseJson, ForkChatSessionRequestJson, GetChatSessionRequestJson, ListChatSessionsRequestJson, ListChatSessionsResponseJson, MoveHeadRequestJson, PauseChatSessionRequestJson, PurgeChatSessionRequestJson, RestoreChatSessionRequestJson, ResumeChatSessionRequestJson, SearchChatSessionsRequestJson, SearchChatSessionsResponseJson, SummarizeChatSessionRequestJson, UpdateChatSessionRequestJson } from "./chat_session_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists sessions: first those that are pinned, then the others; of both, the one with the newest message first. */
export const listChatSessions = /* @__PURE__ */ call<ListChatSessionsRequestJson, ListChatSessionsResponseJson>("GET", "/api/v1/chat-sessions");

/**
 * Finds sessions by words of their titles and messages, archived ones too, the one with the newest message first. Words
 * may be parts of longer ones; case does not matter, and all of them must be in the same session.
 */
export const searchChatSessions = /* @__PURE__ */ call<SearchChatSessionsRequestJson, SearchChatSessionsResponseJson>("GET", "/api/v1/chat-sessions:search");

/** Reads one session. Errors: NOT_FOUND. */
export const getChatSession = /* @__PURE__ */ call<GetChatSessionRequestJson, ChatSessionJson, "id">("GET", "/api/v1/chat-sessions/{id}");

/** Begins a session. Errors: NOT_FOUND (of the assistant). */
export const createChatSession = /* @__PURE__ */ call<CreateChatSessionRequestJson, ChatSessionJson>("POST", "/api/v1/chat-sessions", "chatSession");

/**
 * Changes `title`, `assistant_id`, `mode`, `goal`, `preferences`, `pinned`, `archived` or
 * `without_memory`. Errors: NOT_FOUND.
 */
export const updateChatSession = /* @__PURE__ */ call<Omit<UpdateChatSessionRequestJson, "updateMask">, ChatSessionJson, "id">("PATCH", "/api/v1/chat-sessions/{id}", "chatSession");

/** Pauses the session's run with those below it, see PauseRun. Errors: NOT_FOUND, RUN_STATE (no run of it can be paused). */
export const pauseChatSession = /* @__PURE__ */ call<PauseChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:pause", "*");

/** Resumes the session's run with those below it, see ResumeRun. Errors: NOT_FOUND, RUN_STATE (no run of it is paused). */
export const resumeChatSession = /* @__PURE__ */ call<ResumeChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:resume", "*");

/**
 * Cancels the session's run with those below it, see CancelRun; a session without one that is not finished is returned
 * as it is. Errors: NOT_FOUND.
 */
export const cancelChatSession = /* @__PURE__ */ call<CancelChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:cancel", "*");

/** Removes a session; a run of it that is not finished is cancelled. Errors: NOT_FOUND. */
export const deleteChatSession = /* @__PURE__ */ call<DeleteChatSessionRequestJson, EmptyJson, "id">("DELETE", "/api/v1/chat-sessions/{id}");

/**
 * Brings a removed session back, unless it was purged; runs that were cancelled stay so. One that is not removed is
 * returned as it is. Errors: NOT_FOUND, VALIDATION_FAILED (its notebook was removed: restore that).
 */
export const restoreChatSession = /* @__PURE__ */ call<RestoreChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:restore", "*");

/** Writes the shown branch of a session as a file: questions, answers and their sources. Errors: NOT_FOUND. */
export const exportChatSession = /* @__PURE__ */ call<ExportChatSessionRequestJson, ExportChatSessionResponseJson, "id">("GET", "/api/v1/chat-sessions/{id}:export");

/**
 * Deletes a session for good, one too that was removed: messages, runs, steps, events, citations, todos and
 * checkpoints. Runs that are not finished are cancelled first. Forks stay. Only for its owner; audited. Errors:
 * NOT_FOUND, PERMISSION_DENIED.
 */
export const purgeChatSession = /* @__PURE__ */ call<PurgeChatSessionRequestJson, EmptyJson, "id">("POST", "/api/v1/chat-sessions/{id}:purge", "*");

/**
 * Shows another branch, or takes the last messages back: what comes after the new head stays readable, and the next
 * question follows the head. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is not an answer).
 */
export const moveHead = /* @__PURE__ */ call<MoveHeadRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:moveHead", "*");

/**
 * Begins a session of its own with the messages up to an answer. Errors: NOT_FOUND, VALIDATION_FAILED (it is not an
 * answer), RUN_ACTIVE (it is still being written).
 */
export const forkChatSession = /* @__PURE__ */ call<ForkChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:fork", "*");

/**
 * Asks for the earlier messages to be summarized, so that later prompts are shorter; done in the background, an event
 * tells how it ended. Errors: NOT_FOUND, LLM_UNAVAILABLE (the assistant has no chat model that can summarize).
 */
export const summarizeChatSession = /* @__PURE__ */ call<SummarizeChatSessionRequestJson, ChatSessionJson, "id">("POST", "/api/v1/chat-sessions/{id}:summarize", "*");
