// Generated from echomind/public/v1/evaluation_run_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { EvaluationRunJson } from "./evaluation_pb.js";
import type { CancelEvaluationRunRequestJson, DeleteEvaluationRunRequestJson, GetEvaluationRunRequestJson, ListEvaluationResultsRequestJson, ListEvaluationResultsResponseJson, ListEvaluationRunsRequestJson, ListEvaluationRunsResponseJson, StartEvaluationRunRequestJson } from "./evaluation_run_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Starts an evaluation. Errors: NOT_FOUND (the dataset, the assistant, its version or the chat model),
 * PERMISSION_DENIED (an older version, and the caller is no superadmin), VALIDATION_FAILED (the dataset has no question,
 * the built-in model is to judge, or an older version of an assistant that leads a team).
 */
export const startEvaluationRun = /* @__PURE__ */ call<StartEvaluationRunRequestJson, EvaluationRunJson>("POST", "/api/v1/evaluation-runs", "*");

/** Lists the caller's evaluations, newest first. */
export const listEvaluationRuns = /* @__PURE__ */ call<ListEvaluationRunsRequestJson, ListEvaluationRunsResponseJson>("GET", "/api/v1/evaluation-runs");

/** Reads one evaluation. Errors: NOT_FOUND. */
export const getEvaluationRun = /* @__PURE__ */ call<GetEvaluationRunRequestJson, EvaluationRunJson, "id">("GET", "/api/v1/evaluation-runs/{id}");

/** Lists the results of an evaluation, in the order of its questions. Errors: NOT_FOUND. */
export const listEvaluationResults = /* @__PURE__ */ call<ListEvaluationResultsRequestJson, ListEvaluationResultsResponseJson, "evaluationRunId">("GET", "/api/v1/evaluation-runs/{evaluationRunId}/results");

/**
 * Cancels an evaluation, and the questions that are being answered. One that has ended stays as it is. Errors:
 * NOT_FOUND.
 */
export const cancelEvaluationRun = /* @__PURE__ */ call<CancelEvaluationRunRequestJson, EvaluationRunJson, "id">("POST", "/api/v1/evaluation-runs/{id}:cancel", "*");

/** Deletes an evaluation with its results permanently. Errors: NOT_FOUND, VALIDATION_FAILED (it is running). */
export const deleteEvaluationRun = /* @__PURE__ */ call<DeleteEvaluationRunRequestJson, EmptyJson, "id">("DELETE", "/api/v1/evaluation-runs/{id}");
