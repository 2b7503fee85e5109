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
 * Lists the caller's runs, newest first; with `everyone` or `user_id`, superadmins list those of others, which is
 * audited.
 */
export const listRuns = /* @__PURE__ */ call<ListRunsRequestJson, ListRunsResponseJson>("GET", "/api/v1/runs");

/**
 * Ends a run: one's own, or with `superadmin` anybody's, which is audited. The text written so far stays. A run that is
 * finished already is returned as it is. Errors: NOT_FOUND.
 */
export const cancelRun = /* @__PURE__ */ call<CancelRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:cancel", "*");

/** Pauses a run at its next step. Errors: NOT_FOUND, RUN_STATE. */
export const pauseRun = /* @__PURE__ */ call<PauseRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:pause", "*");

/**
 * Resumes a paused run, on any worker, or takes back a pause that waits for the step's end. Errors: NOT_FOUND,
 * RUN_STATE.
 */
export const resumeRun = /* @__PURE__ */ call<ResumeRunRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:resume", "*");

/**
 * Gives a waiting run what it asked for and queues it. Named by its session, it is the session's only run that waits
 * for a text. Errors: NOT_FOUND, RUN_STATE, AMBIGUOUS_INPUT (several wait, and none is named), VALIDATION_FAILED (the
 * run is of another session).
 */
export const provideInput = /* @__PURE__ */ call<ProvideInputRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:provideInput", "*");

/**
 * Approves or denies a tool call that waits for approval; the run resumes when no other call of its step waits.
 * Errors: NOT_FOUND, RUN_STATE.
 */
export const approveToolCall = /* @__PURE__ */ call<ApproveToolCallRequestJson, RunJson, "id">("POST", "/api/v1/runs/{id}:approveToolCall", "*");

/** Reads a run with all runs below it, parents first. Errors: NOT_FOUND. */
export const getRunTree = /* @__PURE__ */ call<GetRunTreeRequestJson, RunTreeJson, "id">("GET", "/api/v1/runs/{id}/tree");

/**
 * Reads a run with all that it did, and all runs below it, in one call: what models were sent and answered, events,
 * tokens and times. Errors: NOT_FOUND.
 */
export const getRunDetails = /* @__PURE__ */ call<GetRunDetailsRequestJson, RunDetailsJson, "id">("GET", "/api/v1/runs/{id}/details");

/**
 * Reads the whole prompt that one step sent to the model, as it was sent. For who asked alone, as it may hold what
 * others may not read. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const getStepPrompt = /* @__PURE__ */ call<GetStepPromptRequestJson, StepPromptJson, "id" | "stepNumber">("GET", "/api/v1/runs/{id}/steps/{stepNumber}/prompt");

/**
 * Takes a step out of the prompts of the run's later steps, or puts it back; it stays readable, and an event tells of
 * it. Errors: NOT_FOUND, RUN_STATE (the run is over, or a worker is at it: pause it first).
 */
export const excludeStep = /* @__PURE__ */ call<ExcludeStepRequestJson, StepJson, "id" | "stepNumber">("POST", "/api/v1/runs/{id}/steps/{stepNumber}:exclude", "*");

/** Lists a run's steps with their tool calls, in order. Errors: NOT_FOUND. */
export const listSteps = /* @__PURE__ */ call<ListStepsRequestJson, ListStepsResponseJson, "id">("GET", "/api/v1/runs/{id}/steps");

/** Lists the stored events of a run and of the runs below it, in order. Errors: NOT_FOUND. */
export const listRunEvents = /* @__PURE__ */ call<ListRunEventsRequestJson, ListRunEventsResponseJson, "id">("GET", "/api/v1/runs/{id}/events");

/**
 * Streams a session's events: every stored one after `after`, in order, exactly once; then the text of a message
 * that is being written; then what happens. Lasts until the caller leaves, or it ends with an error.
 * Errors: NOT_FOUND (also once the session is removed), SLOW_READER (continue after the last event), UNAUTHENTICATED (the
 * credential has ended), DEPENDENCY_UNAVAILABLE (EchoMind stops, or a part of it does not answer: connect again),
 * OVERLOADED (too many streams are open).
 */
export const streamSessionEvents = /* @__PURE__ */ stream<StreamSessionEventsRequestJson, SessionEventJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/events");
