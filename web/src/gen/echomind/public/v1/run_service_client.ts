// Generated from echomind/public/v1/run_service.proto by tools/typescript_client.py. Do not edit.

import { call, stream } from "@/api/call";
import type { RunDetailsJson } from "./run_details_pb.js";
import type { RunJson, RunTreeJson } from "./run_pb.js";
import type { ApproveToolCallRequestJson, CancelRunRequestJson, ExcludeStepRequestJson, GetRunDetailsRequestJson, GetRunRequestJson, GetRunTreeRequestJson, GetStepPromptRequestJson, ListRunEventsRequestJson, ListRunEventsResponseJson, ListRunsRequestJson, ListRunsResponseJson, ListStepsRequestJson, ListStepsResponseJson, PauseRunRequestJson, ProvideInputRequestJson, ResumeRunRequestJson, StreamSessionEventsRequestJson } from "./run_service_pb.js";
import type { SessionEventJson } from "./session_event_pb.js";
import type { StepJson, StepPromptJson } from "./step_pb.js";

/** Reads one run. Errors: NOT_FOUND. */
export const getRun = /* @__PURE__ */ call<GetRunRequestJson, RunJson, "id">("GET", "/api/v1/runs/{id}");

/**
 * Lists the caller's runs, newest first; with `everyone` or `user_id`, superadmins list those of other users, which
 * is audited.
 */
export const listRuns = /* @__PURE__ */ call<ListRunsRequestJson, ListRunsResponseJson>("GET", "/api/v1/runs");

/**
 * Cancels a run: the caller's own, or with `superadmin` any run, which is audited. The text written so far is kept. A
 * finished run is returned unchanged. Errors: NOT_FOUND.
 */
export const cancelRun = /* @__PURE__ */ call<CancelRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:cancel", "*");

/** Pauses a run at its next step. Errors: NOT_FOUND, RUN_STATE. */
export const pauseRun = /* @__PURE__ */ call<PauseRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:pause", "*");

/** Resumes a paused run, on any worker, or withdraws a pause that has not taken effect. Errors: NOT_FOUND, RUN_STATE. */
export const resumeRun = /* @__PURE__ */ call<ResumeRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:resume", "*");

/**
 * Answers a waiting run and queues it. With a session instead of a run, answers the only run of the session that
 * waits for text. Errors: NOT_FOUND, RUN_STATE, AMBIGUOUS_INPUT (several wait, and none is named), VALIDATION_FAILED
 * (the run is of another session).
 */
export const provideInput = /* @__PURE__ */ call<ProvideInputRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:provideInput", "*");

/**
 * Approves or denies a waiting tool call; the run resumes when no other call of its step waits. Errors: NOT_FOUND,
 * RUN_STATE.
 */
export const approveToolCall = /* @__PURE__ */ call<ApproveToolCallRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:approveToolCall", "*");

/** Reads a run with all its sub-runs, parents first. Errors: NOT_FOUND. */
export const getRunTree = /* @__PURE__ */ call<GetRunTreeRequestJson, RunTreeJson, "id">("GET", "/api/v1/runs/{id}/tree");

/**
 * Reads a run and all its sub-runs with full details, in one call: messages sent to and received from models, events,
 * tokens and times. Errors: NOT_FOUND. What calls found, prompts and reports of sub-agents are empty unless the caller
 * asked and may read all sources of the conversation.
 */
export const getRunDetails = /* @__PURE__ */ call<GetRunDetailsRequestJson, RunDetailsJson, "id">("GET", "/api/v1/runs/{id}/details");

/**
 * Reads the complete prompt that a step sent to the model. Only for the user who asked, as it may contain what others
 * may not read, and only while they may read all sources of the conversation. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const getStepPrompt = /* @__PURE__ */ call<GetStepPromptRequestJson, StepPromptJson, "id" | "stepNumber">("GET", "/api/v1/runs/{id}/steps/{stepNumber}/prompt");

/**
 * Excludes a step from the prompts of the run's later steps, or includes it again; it stays readable, and an event
 * reports the change. Errors: NOT_FOUND, RUN_STATE (the run has ended, or a worker executes it: pause it first).
 */
export const excludeStep = /* @__PURE__ */ call<ExcludeStepRequestJson, StepJson, "id" | "stepNumber">("POST", "/api/v1/runs/{id}/steps/{stepNumber}:exclude", "*");

/**
 * Lists a run's steps with their tool calls, in order. Errors: NOT_FOUND. Results of calls are empty unless the caller
 * asked and may read all sources of the conversation.
 */
export const listSteps = /* @__PURE__ */ call<ListStepsRequestJson, ListStepsResponseJson, "id">("GET", "/api/v1/runs/{id}/steps");

/** Lists the stored events of a run and its sub-runs, in order. Errors: NOT_FOUND. */
export const listRunEvents = /* @__PURE__ */ call<ListRunEventsRequestJson, ListRunEventsResponseJson, "id">("GET", "/api/v1/runs/{id}/events");

/**
 * Streams a session's events: all stored events after `after`, in order and exactly once; then the text of a message
 * that is being written; then new events. The stream stays open until the caller closes it or an error ends it.
 * Errors: NOT_FOUND (also once the session is removed), SLOW_READER (continue after the last event), UNAUTHENTICATED
 * (the credential has expired), DEPENDENCY_UNAVAILABLE (EchoMind stops, or one of its servers does not answer:
 * connect again), OVERLOADED (too many open streams).
 */
export const streamSessionEvents = /* @__PURE__ */ stream<StreamSessionEventsRequestJson, SessionEventJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/events");
