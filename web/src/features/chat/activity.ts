/** What a run is doing, in words. */
import type { StepActionJson, StepStatusJson, ToolCallJson } from "@/gen/echomind/public/v1/run_pb";
import type { LiveRun } from "./live/feed";

const DOING: Partial<Record<StepActionJson, string>> = {
  STEP_ACTION_RETRIEVE: "Searching documents…",
  STEP_ACTION_PLAN: "Planning…",
  STEP_ACTION_ANSWER: "Writing the answer…",
  STEP_ACTION_CALL_TOOL: "Using a tool…",
  STEP_ACTION_CALL_TOOLS_PARALLEL: "Using tools…",
  STEP_ACTION_FORK: "Starting a sub-agent…",
  STEP_ACTION_DELEGATE: "Handing work over…",
};

const DONE: Partial<Record<StepActionJson, string>> = {
  STEP_ACTION_RETRIEVE: "Searched documents",
  STEP_ACTION_PLAN: "Planned",
  STEP_ACTION_ANSWER: "Wrote the answer",
  STEP_ACTION_CALL_TOOL: "Used a tool",
  STEP_ACTION_CALL_TOOLS_PARALLEL: "Used tools",
  STEP_ACTION_FORK: "Started a sub-agent",
  STEP_ACTION_DELEGATE: "Handed work over",
  STEP_ACTION_ASK_USER: "Asked a question",
};

/** The line that says what is going on now. */
export function activityOf(run: LiveRun | undefined, hasText: boolean, isConnected: boolean): string {
  if (!isConnected) return "Connection lost. Trying again…";
  if (!run) return "Sending…";
  if (run.status === "RUN_STATUS_PAUSED") return "Paused";
  const isCalling = run.toolCalls.some(({ status }) => isUnderWay(status));
  if (hasText && !isCalling) return "Writing the answer…";
  if (run.activity) return run.activity;
  if (run.status === "RUN_STATUS_QUEUED") return "Waiting to be answered…";
  const step = run.steps.at(-1);
  return (step?.action && isUnderWay(step.status) && DOING[step.action]) || "Thinking…";
}

/** What a finished step did. */
export function stepLabel(action: StepActionJson | undefined): string {
  return (action && DONE[action]) ?? "Step";
}

/** A tool's name as words: `search_documents` becomes `Search documents`. */
export function toolLabel(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a tool was called with, on one line: texts and numbers, not nested values. */
export function toolInput({ parameters }: ToolCallJson): string {
  const values = Object.values(parameters ?? {}).filter((value) => typeof value === "string" || typeof value === "number");
  return values.join(" · ");
}

/** Whether a step or a tool call has not ended. */
export function isUnderWay(status: StepStatusJson | undefined): boolean {
  return !status || status === "STEP_STATUS_PENDING" || status === "STEP_STATUS_RUNNING" || status === "STEP_STATUS_UNSPECIFIED";
}
