/** What a run is doing, in words. */
import { isUnderWay } from "@/data/runs";
import type { LiveRun } from "@/features/chat/live/run";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import type { PromptOmissionsJson, StepActionJson, ToolCallJson, WaitStrategyJson } from "@/gen/echomind/public/v1/step_pb";
import { formatCount } from "@/ui/format";

const DOING: Partial<Record<StepActionJson, string>> = {
  STEP_ACTION_RETRIEVE: "Searching documents…",
  STEP_ACTION_PLAN: "Planning…",
  STEP_ACTION_ANSWER: "Writing the answer…",
  STEP_ACTION_CALL_TOOL: "Using a tool…",
  STEP_ACTION_CALL_TOOLS_PARALLEL: "Using tools…",
  STEP_ACTION_DELEGATE: "Delegating…",
  STEP_ACTION_ASK_USER: "Asking you…",
};

const DONE: Partial<Record<StepActionJson, string>> = {
  STEP_ACTION_RETRIEVE: "Searched documents",
  STEP_ACTION_PLAN: "Planned",
  STEP_ACTION_ANSWER: "Wrote the answer",
  STEP_ACTION_CALL_TOOL: "Used a tool",
  STEP_ACTION_CALL_TOOLS_PARALLEL: "Used tools",
  STEP_ACTION_DELEGATE: "Delegated",
  STEP_ACTION_ASK_USER: "Asked a question",
};

/** When a step with parallel calls continues; it usually waits for all of them. */
const WAITS: Partial<Record<WaitStrategyJson, string>> = {
  WAIT_STRATEGY_ANY: ", first success is enough",
  WAIT_STRATEGY_MAJORITY: ", a majority is enough",
};

const RUN: Partial<Record<RunStatusJson, string>> = {
  RUN_STATUS_QUEUED: "Queued",
  RUN_STATUS_RUNNING: "Working",
  RUN_STATUS_WAITING_FOR_INPUT: "Waiting for you",
  RUN_STATUS_WAITING_FOR_CHILDREN: "Waiting for its sub-agents",
  RUN_STATUS_PAUSED: "Paused",
  RUN_STATUS_COMPLETED: "Done",
  RUN_STATUS_FAILED: "Failed",
  RUN_STATUS_CANCELLED: "Cancelled",
  RUN_STATUS_TIMEOUT: "Timed out",
};

/** The line that says what is going on now. */
export function activityOf(run: LiveRun | undefined, hasText: boolean, isConnected: boolean): string {
  if (!isConnected) return "Connection lost. Trying again…";
  if (!run) return "Sending…";
  if (run.status === "RUN_STATUS_PAUSED") return "Paused";
  if (run.status === "RUN_STATUS_WAITING_FOR_INPUT") return "Waiting for you";
  if (run.status === "RUN_STATUS_WAITING_FOR_CHILDREN") return "Waiting for sub-agents…";
  const isCalling = run.toolCalls.some(({ status }) => isUnderWay(status));
  if (hasText && !isCalling) return "Writing the answer…";
  if (run.activity) return run.activity;
  if (run.status === "RUN_STATUS_QUEUED") return "Waiting for a free worker…";
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

/** How far a run is, in words. */
export function runLabel(status: RunStatusJson | undefined): string {
  return (status && RUN[status]) ?? "";
}

/** How many calls of a step run in parallel, how many of them are enough, and how many have ended. */
export function parallelLabel(calls: readonly ToolCallJson[], strategy: WaitStrategyJson | undefined): string {
  const done = calls.filter(({ status }) => !isUnderWay(status)).length;
  const enough = (strategy && WAITS[strategy]) ?? "";
  return `${formatCount(calls.length, "parallel call")}${enough} · ${done} of ${calls.length} done`;
}

/** What a prompt left out, in words; empty when nothing. */
export function omissionsLabel(omissions: PromptOmissionsJson | undefined): string {
  const { messages = 0, summarizedMessages = 0, steps = [] } = omissions ?? {};
  const parts = [
    messages > 0 && formatCount(messages, "earlier message"),
    steps.length > 0 && `the details of ${steps.length === 1 ? "step" : "steps"} ${steps.join(", ")}`,
    summarizedMessages > 0 && `${formatCount(summarizedMessages, "message")}, except in a summary`,
  ].filter(Boolean);
  return parts.length > 0 ? `Excluded from the prompt: ${parts.join("; ")}.` : "";
}
