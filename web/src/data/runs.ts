/** Queries and mutations of runs and their steps. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import { getMessage } from "@/gen/echomind/public/v1/chat_message_service_client";
import type { RunJson, RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import {
  approveToolCall,
  cancelRun,
  excludeStep,
  getRun,
  getRunTree,
  getStepPrompt,
  listRunEvents,
  listRuns,
  listSteps,
  pauseRun,
  provideInput,
  resumeRun,
} from "@/gen/echomind/public/v1/run_service_client";
import type { ListRunsRequestJson } from "@/gen/echomind/public/v1/run_service_pb";
import type { StepStatusJson } from "@/gen/echomind/public/v1/step_pb";
import { sessionKeys } from "./sessions";

const all = ["runs"] as const;

/** Query keys of runs. */
export const runKeys = {
  lists: [...all, "list"] as const,
  list: (filter: RunFilter) => [...all, "list", filter] as const,
  /** The runs that wait for the reader. */
  waiting: [...all, "list", "waiting"] as const,
  events: (id: string) => [...all, id, "events"] as const,
  ofSession: (session: string) => [...sessionKeys.whole(session), "runs"] as const,
  /** Everything of one run but its prompts, which never change. */
  whole: (id: string) => [...all, id] as const,
  detail: (id: string) => [...all, id, "detail"] as const,
  tree: (id: string) => [...all, id, "tree"] as const,
  steps: (id: string) => [...all, id, "steps"] as const,
  prompt: (id: string, stepNumber: number) => [...all, "prompts", id, stepNumber] as const,
};

/** All runs of a session that answer its questions, newest first. */
export const runsQuery = (session: string) =>
  queryOptions({
    queryKey: runKeys.ofSession(session),
    queryFn: ({ signal }) => readAll(listRuns, "runs", { chatSessionId: Number(session), rootsOnly: true }, signal),
  });

/** Filter of runs; omitted fields match all. */
export type RunFilter = Omit<ListRunsRequestJson, "pageSize" | "pageToken">;

/** Runs, newest first. */
export const runListQuery = (filter: RunFilter) => pagedQuery(runKeys.list(filter), listRuns, filter);

/** The runs that wait for the reader, sub-agents too, newest first. */
export const waitingRunsQuery = queryOptions({
  queryKey: runKeys.waiting,
  queryFn: ({ signal }) => readAll(listRuns, "runs", { statuses: ["RUN_STATUS_WAITING_FOR_INPUT"] }, signal),
});

/** The stored events of a run and of the runs below it. */
export const runEventsQuery = (id: string) =>
  queryOptions({
    queryKey: runKeys.events(id),
    queryFn: ({ signal }) => readAll(listRunEvents, "events", { id }, signal),
  });

/** One run. */
export const runQuery = (id: string) =>
  queryOptions({ queryKey: runKeys.detail(id), queryFn: ({ signal }) => getRun({ id }, { signal }) });

/** A run and the runs below it, parents first. */
export const runTreeQuery = (id: string) =>
  queryOptions({
    queryKey: runKeys.tree(id),
    queryFn: async ({ signal }): Promise<RunJson[]> => (await getRunTree({ id }, { signal })).runs ?? [],
  });

/** The steps of a run so far. */
export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: runKeys.steps(id),
    queryFn: ({ signal }) => readAll(listSteps, "steps", { id }, signal),
  });

/** The prompt of a step. */
export const stepPromptQuery = (id: string, stepNumber: number) =>
  queryOptions({
    queryKey: runKeys.prompt(id, stepNumber),
    queryFn: ({ signal }) => getStepPrompt({ id, stepNumber }, { signal }),
    staleTime: Infinity,
  });

const CONTROLS = { cancel: cancelRun, pause: pauseRun, resume: resumeRun };

/** Cancels, pauses or resumes a run. */
export function useControlRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, control }: { id: string; control: keyof typeof CONTROLS }) => CONTROLS[control]({ id }),
    onSuccess: (_, { id }) => client.invalidateQueries({ queryKey: runKeys.whole(id) }),
  });
}

/** Provides the input that a run waits for. The result arrives as an event of the session. */
export function useProvideInput() {
  return useMutation({ mutationFn: (input: { id: string; content: string }) => provideInput(input) });
}

/** Approves or denies a tool call that waits for it. The session's events bring the result. */
export function useDecideToolCall() {
  return useMutation({
    mutationFn: (decision: { id: string; toolCallId: string; approved: boolean; comment: string }) => approveToolCall(decision),
  });
}

/** Excludes a step from later prompts, or includes it again. */
export function useExcludeStep(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ stepNumber, isExcluded }: { stepNumber: number; isExcluded: boolean }) =>
      excludeStep({ id: runId, stepNumber, excluded: isExcluded }),
    onSettled: () => client.invalidateQueries({ queryKey: runKeys.steps(runId) }),
  });
}

/** The name of the member that a run is of; empty for any other run. */
export function memberName({ kind, assistantName = "" }: RunJson): string {
  return kind === "RUN_KIND_MEMBER" ? assistantName : "";
}

/** Whether a run has ended. */
export function isOver(status: RunStatusJson | undefined): boolean {
  return (
    status === "RUN_STATUS_COMPLETED" ||
    status === "RUN_STATUS_FAILED" ||
    status === "RUN_STATUS_CANCELLED" ||
    status === "RUN_STATUS_TIMEOUT"
  );
}

/** Whether a step or a tool call has not ended. */
export function isUnderWay(status: StepStatusJson | undefined): boolean {
  return !status || status === "STEP_STATUS_PENDING" || status === "STEP_STATUS_RUNNING" || status === "STEP_STATUS_UNSPECIFIED";
}

/** The answer that a run has written; a message never changes once its run has ended. */
export const answerQuery = (messageId: string) =>
  queryOptions({ queryKey: [...all, "answers", messageId] as const, queryFn: ({ signal }) => getMessage({ id: messageId }, { signal }) });
