/** What the chat pages read of runs, and how they control them. */
import { queryOptions } from "@tanstack/react-query";
import { request } from "@/api/http";
import { readAll } from "@/api/pages";
import type { RunJson, RunTreeJson } from "@/gen/echomind/public/v1/run_pb";
import type { StepJson, StepPromptJson } from "@/gen/echomind/public/v1/step_pb";

const RUNS = "/api/v1/runs";

/** All runs of a session that answer its questions, newest first. */
export const runsQuery = (session: string) =>
  queryOptions({
    queryKey: ["runs", session],
    queryFn: ({ signal }) => readAll<RunJson>(RUNS, "runs", { chatSessionId: session, rootsOnly: "true" }, signal),
  });

/** One run. */
export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => request<RunJson>("GET", `${RUNS}/${runId}`, { signal }),
  });

/** A run and the runs below it, parents first. */
export const runTreeQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run-tree", runId],
    queryFn: async ({ signal }): Promise<RunJson[]> =>
      (await request<RunTreeJson>("GET", `${RUNS}/${runId}/tree`, { signal })).runs ?? [],
  });

/** The steps of a run so far. */
export const stepsQuery = (runId: string) =>
  queryOptions({
    queryKey: ["steps", runId],
    queryFn: ({ signal }) => readAll<StepJson>(`${RUNS}/${runId}/steps`, "steps", {}, signal),
  });

/** What a step sent to the model; it never changes. */
export const stepPromptQuery = (runId: string, stepNumber: number) =>
  queryOptions({
    queryKey: ["step-prompt", runId, stepNumber],
    queryFn: ({ signal }) => request<StepPromptJson>("GET", `${RUNS}/${runId}/steps/${stepNumber}/prompt`, { signal }),
    staleTime: Infinity,
  });

/** Cancels, pauses or resumes a run. */
export function controlRun(runId: string, control: "cancel" | "pause" | "resume"): Promise<RunJson> {
  return request("POST", `${RUNS}/${runId}:${control}`, { body: {} });
}

/** Answers what a run asked. */
export function provideInput(runId: string, content: string): Promise<RunJson> {
  return request("POST", `${RUNS}/${runId}:provideInput`, { body: { content } });
}

/** Allows or declines a call that waits for it. */
export function approveToolCall(runId: string, toolCallId: string, approved: boolean, comment: string): Promise<RunJson> {
  return request("POST", `${RUNS}/${runId}:approveToolCall`, { body: { toolCallId, approved, comment } });
}

/** Excludes a step from later prompts, or includes it again. */
export function discardStep(runId: string, stepNumber: number, discarded: boolean): Promise<StepJson> {
  return request("POST", `${RUNS}/${runId}/steps/${stepNumber}:discard`, { body: { discarded } });
}
