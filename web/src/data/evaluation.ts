/** Evaluation of assistants: datasets of questions, and what came of asking them. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { EvaluationCaseJson, EvaluationDatasetJson, EvaluationRunJson } from "@/gen/echomind/public/v1/evaluation_pb";
import {
  addEvaluationCases,
  addRatedAnswers,
  createEvaluationDataset,
  deleteEvaluationCase,
  deleteEvaluationDataset,
  getEvaluationDataset,
  listEvaluationCases,
  listEvaluationDatasets,
  updateEvaluationCase,
  updateEvaluationDataset,
} from "@/gen/echomind/public/v1/evaluation_dataset_service_client";
import {
  cancelEvaluationRun,
  deleteEvaluationRun,
  getEvaluationRun,
  listEvaluationResults,
  listEvaluationRuns,
  startEvaluationRun,
} from "@/gen/echomind/public/v1/evaluation_run_service_client";
import type { StartEvaluationRunRequestJson } from "@/gen/echomind/public/v1/evaluation_run_service_pb";
import { changesOf } from "./changes";

const ALL = ["evaluation"] as const;
/** Milliseconds between looks at evaluations that are running. */
const POLL_MS = 1500;
/** Questions that are added by one request. */
const TOGETHER = 500;

/** Whether an evaluation has not ended. */
export function isRunning(run: EvaluationRunJson | undefined): boolean {
  return run?.status === "EVALUATION_STATUS_RUNNING";
}

/** The datasets that the user may read. */
export const datasetsQuery = queryOptions({
  queryKey: [...ALL, "datasets"],
  queryFn: ({ signal }) => readAll(listEvaluationDatasets, "datasets", {}, signal),
});

/** One dataset. */
export const datasetQuery = (id: string) =>
  queryOptions({ queryKey: [...ALL, "datasets", id], queryFn: ({ signal }) => getEvaluationDataset({ id }, { signal }) });

/** The questions of a dataset. */
export const casesQuery = (datasetId: string) =>
  queryOptions({
    queryKey: [...ALL, "datasets", datasetId, "cases"],
    queryFn: ({ signal }) => readAll(listEvaluationCases, "cases", { datasetId }, signal),
  });

/** The user's evaluations with a dataset, newest first; "0" for all. */
export const evaluationsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: [...ALL, "runs", "of", datasetId],
    queryFn: async ({ signal }) => (await listEvaluationRuns({ datasetId, pageSize: 100 }, { signal })).runs ?? [],
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? POLL_MS : false),
  });

/** One evaluation. */
export const evaluationQuery = (id: string) =>
  queryOptions({
    queryKey: [...ALL, "runs", id],
    queryFn: ({ signal }) => getEvaluationRun({ id }, { signal }),
    refetchInterval: ({ state }) => (isRunning(state.data) ? POLL_MS : false),
  });

/** The results of an evaluation, in the order of its questions; read again for each question that was measured. */
export const resultsQuery = (run: EvaluationRunJson) =>
  queryOptions({
    queryKey: [...ALL, "runs", run.id, "results", run.status, run.answered, run.failed],
    queryFn: ({ signal }) => readAll(listEvaluationResults, "results", { evaluationRunId: run.id ?? "0" }, signal),
    placeholderData: (before) => before,
  });

const useChange = changesOf(ALL);

/** Creates a dataset, or changes the one with this id. */
export function useSaveDataset() {
  return useChange(({ id, ...dataset }: EvaluationDatasetJson) =>
    id ? updateEvaluationDataset({ id, dataset }) : createEvaluationDataset({ dataset }),
  );
}

/** Deletes a dataset permanently. */
export function useDeleteDataset() {
  return useChange((id: string) => deleteEvaluationDataset({ id }));
}

/** Adds questions to a dataset; returns how many. */
export function useAddCases(datasetId: string) {
  return useChange(async (cases: EvaluationCaseJson[]) => {
    for (let begin = 0; begin < cases.length; begin += TOGETHER) {
      await addEvaluationCases({ datasetId, cases: cases.slice(begin, begin + TOGETHER) });
    }
    return cases.length;
  });
}

/** Adds the questions of a conversation whose answers the user has rated; returns how many were new. */
export function useAddRatedAnswers(chatSessionId: number) {
  return useChange(async (datasetId: string) => (await addRatedAnswers({ datasetId, chatSessionId })).cases?.length ?? 0);
}

/** Changes a question. */
export function useUpdateCase() {
  return useChange(({ id = "0", ...changed }: EvaluationCaseJson) => updateEvaluationCase({ id, case: changed }));
}

/** Deletes a question. */
export function useDeleteCase() {
  return useChange((id: string) => deleteEvaluationCase({ id }));
}

/** Starts an evaluation. */
export function useStartEvaluation() {
  return useChange((request: StartEvaluationRunRequestJson) => startEvaluationRun(request));
}

/** Cancels an evaluation. */
export function useCancelEvaluation() {
  return useChange((id: string) => cancelEvaluationRun({ id }));
}

/** Deletes an evaluation permanently. */
export function useDeleteEvaluation() {
  return useChange((id: string) => deleteEvaluationRun({ id }));
}
