// Generated from echomind/public/v1/evaluation_dataset_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AddEvaluationCasesRequestJson, AddEvaluationCasesResponseJson, AddRatedAnswersRequestJson, CreateEvaluationDatasetRequestJson, DeleteEvaluationCaseRequestJson, DeleteEvaluationDatasetRequestJson, GetEvaluationDatasetRequestJson, ListEvaluationCasesRequestJson, ListEvaluationCasesResponseJson, ListEvaluationDatasetsRequestJson, ListEvaluationDatasetsResponseJson, UpdateEvaluationCaseRequestJson, UpdateEvaluationDatasetRequestJson } from "./evaluation_dataset_service_pb.js";
import type { EvaluationCaseJson, EvaluationDatasetJson } from "./evaluation_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's datasets and those that are shared with them, newest first. */
export const listEvaluationDatasets = /* @__PURE__ */ call<ListEvaluationDatasetsRequestJson, ListEvaluationDatasetsResponseJson>("GET", "/api/v1/evaluation-datasets");

/** Reads one dataset, without its questions. Errors: NOT_FOUND. */
export const getEvaluationDataset = /* @__PURE__ */ call<GetEvaluationDatasetRequestJson, EvaluationDatasetJson, "id">("GET", "/api/v1/evaluation-datasets/{id}");

/** Creates a dataset. Errors: ALREADY_EXISTS (the caller has one of this name), NOT_FOUND (a group). */
export const createEvaluationDataset = /* @__PURE__ */ call<CreateEvaluationDatasetRequestJson, EvaluationDatasetJson>("POST", "/api/v1/evaluation-datasets", "dataset");

/**
 * Updates a dataset. Errors: NOT_FOUND, PERMISSION_DENIED (it is another person's, or it would be shared with people who
 * may not read what its rated answers draw on: see AddRatedAnswers), ALREADY_EXISTS.
 */
export const updateEvaluationDataset = /* @__PURE__ */ call<Omit<UpdateEvaluationDatasetRequestJson, "updateMask">, EvaluationDatasetJson, "id">("PATCH", "/api/v1/evaluation-datasets/{id}", "dataset");

/**
 * Deletes a dataset permanently, with its questions and everybody's evaluations with it. Errors: NOT_FOUND,
 * PERMISSION_DENIED.
 */
export const deleteEvaluationDataset = /* @__PURE__ */ call<DeleteEvaluationDatasetRequestJson, EmptyJson, "id">("DELETE", "/api/v1/evaluation-datasets/{id}");

/** Lists the questions of a dataset, in the order in which they were added. Errors: NOT_FOUND. */
export const listEvaluationCases = /* @__PURE__ */ call<ListEvaluationCasesRequestJson, ListEvaluationCasesResponseJson, "datasetId">("GET", "/api/v1/evaluation-datasets/{datasetId}/cases");

/** Adds questions. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (it would have more than 5000). */
export const addEvaluationCases = /* @__PURE__ */ call<AddEvaluationCasesRequestJson, AddEvaluationCasesResponseJson, "datasetId">("POST", "/api/v1/evaluation-datasets/{datasetId}/cases", "*");

/**
 * Adds the questions of a conversation whose answers the caller has rated: for a helpful answer with the documents that
 * it cites and its text as a right answer, otherwise without expectations, which somebody must add. Answers that the
 * dataset has already are left out. A shared dataset takes helpful answers only if each group that it is shared with may
 * read all documents that the conversation draws on, as their connectors are shared; permissions at the source do not
 * count. Errors: NOT_FOUND, PERMISSION_DENIED (also: not everybody whom it is shared with may read these documents, which
 * the message names, or sharing is switched off), VALIDATION_FAILED (no answer is rated).
 */
export const addRatedAnswers = /* @__PURE__ */ call<AddRatedAnswersRequestJson, AddEvaluationCasesResponseJson, "datasetId">("POST", "/api/v1/evaluation-datasets/{datasetId}/cases:addRated", "*");

/** Updates a question. Evaluations that have begun keep what it was. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const updateEvaluationCase = /* @__PURE__ */ call<Omit<UpdateEvaluationCaseRequestJson, "updateMask">, EvaluationCaseJson, "id">("PATCH", "/api/v1/evaluation-cases/{id}", "case");

/** Deletes a question; results of evaluations stay. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteEvaluationCase = /* @__PURE__ */ call<DeleteEvaluationCaseRequestJson, EmptyJson, "id">("DELETE", "/api/v1/evaluation-cases/{id}");
