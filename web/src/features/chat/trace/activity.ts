/** Describes the activity of a run. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { serverWords } from "@/api/error-words";
import { isUnderWay } from "@/data/runs";
import type { LiveRun } from "@/features/chat/live/run";
import { partsOf, readable, toolLabel } from "@/features/chat/tools";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import type { PromptOmissionsJson, StepActionJson, StepTypeJson, ToolCallJson, WaitStrategyJson } from "@/gen/echomind/public/v1/step_pb";
import { type ByMember, ofMember } from "@/ui/members";

const DOING: ByMember<StepActionJson, MessageDescriptor> = {
  STEP_ACTION_RETRIEVE: msg`Searching documents…`,
  STEP_ACTION_PLAN: msg`Planning…`,
  STEP_ACTION_ANSWER: msg`Writing the answer…`,
  STEP_ACTION_CALL_TOOL: msg`Using a tool…`,
  STEP_ACTION_CALL_TOOLS_PARALLEL: msg`Using tools…`,
  STEP_ACTION_DELEGATE: msg`Delegating…`,
  STEP_ACTION_ASK_USER: msg`Asking you…`,
};

const DONE: ByMember<StepActionJson, MessageDescriptor> = {
  STEP_ACTION_RETRIEVE: msg`Searched documents`,
  STEP_ACTION_PLAN: msg`Planned`,
  STEP_ACTION_ANSWER: msg`Wrote the answer`,
  STEP_ACTION_CALL_TOOL: msg`Used a tool`,
  STEP_ACTION_CALL_TOOLS_PARALLEL: msg`Used tools`,
  STEP_ACTION_DELEGATE: msg`Delegated`,
  STEP_ACTION_ASK_USER: msg`Asked a question`,
};

const TYPES: ByMember<StepTypeJson, MessageDescriptor> = {
  STEP_TYPE_PLANNER: msg`Planning`,
  STEP_TYPE_ACTION: msg`Action`,
  STEP_TYPE_SYNTHESIZER: msg`Synthesis`,
};

/** Descriptions of calls of EchoMind's own tools, by arguments. */
const CALLS: Readonly<Record<string, (given: (parameter: string) => string) => string>> = {
  calculator: (given) => t`Calculating ${given("expression")}`,
  delegate_task: (given) => t`Giving ${given("member")} a task: ${given("task")}`,
  fetch_web_page: (given) => t`Reading ${given("url")}`,
  read_document: (given) => t`Reading around source ${given("source")}`,
  search_documents: (given) => t`Searching documents for “${given("query")}”`,
  search_knowledge: (given) => t`Searching knowledge for “${given("query")}”`,
  search_memory: (given) => t`Searching memory for “${given("query")}”`,
  search_web: (given) => t`Searching the web for “${given("query")}”`,
  spawn_sub_agent: (given) => t`Starting a sub-agent: ${given("goal")}`,
  write_todos: () => t`Planning…`,
};

/** Maximum length of a parameter in a line, in characters. */
const MAX_OF_PARAMETER = 120;

/** When a step with parallel calls continues; usually it waits for all of them. */
const WAITS: ByMember<WaitStrategyJson, MessageDescriptor | undefined> = {
  WAIT_STRATEGY_ALL: undefined,
  WAIT_STRATEGY_ANY: msg`, first success is enough`,
  WAIT_STRATEGY_MAJORITY: msg`, a majority is enough`,
};

const RUN: ByMember<RunStatusJson, MessageDescriptor> = {
  RUN_STATUS_QUEUED: msg`Queued`,
  RUN_STATUS_RUNNING: msg`Working`,
  RUN_STATUS_WAITING_FOR_INPUT: msg`Waiting for you`,
  RUN_STATUS_WAITING_FOR_CHILDREN: msg`Waiting for its members or sub-agents`,
  RUN_STATUS_PAUSED: msg`Paused`,
  RUN_STATUS_COMPLETED: msg`Done`,
  RUN_STATUS_FAILED: msg`Failed`,
  RUN_STATUS_CANCELLED: msg`Cancelled`,
  RUN_STATUS_TIMEOUT: msg`Timed out`,
};

/** The current activity of a run as one line; `hasText` is whether its attempt has written text. */
export function activityOf(run: LiveRun | undefined, hasText: boolean, isConnected: boolean): string {
  if (!isConnected) return t`Connection lost, reconnecting…`;
  if (!run) return t`Sending…`;
  if (run.status === "RUN_STATUS_PAUSED") return t`Paused`;
  if (run.status === "RUN_STATUS_WAITING_FOR_INPUT") return t`Waiting for you`;
  if (run.status === "RUN_STATUS_WAITING_FOR_CHILDREN") return t`Waiting for members or sub-agents…`;
  if (run.isRecovering && !hasText) return t`The answer was interrupted. It is being recovered…`;
  const call = run.toolCalls.findLast(({ status }) => isUnderWay(status));
  if (call) return callActivity(call);
  if (hasText) return t`Writing the answer…`;
  if (run.status === "RUN_STATUS_QUEUED") return t`Waiting for a free worker…`;
  const step = run.steps.at(-1);
  const doing = isUnderWay(step?.status) ? ofMember(DOING, step?.action) : undefined;
  return doing ? i18n._(doing) : t`Thinking…`;
}

/** Activity of a running call. */
export function callActivity({ toolName = "", statusMessage, parameters }: LiveRun["toolCalls"][number]): string {
  // The tool's own progress message.
  if (statusMessage) return serverWords(statusMessage);
  const given = (name: string) => {
    const value = parameters?.[name];
    return typeof value === "string" || typeof value === "number" ? String(value).slice(0, MAX_OF_PARAMETER) : "";
  };
  const { server, tool } = partsOf(toolName);
  if (server) return t`Calling ${readable(tool)} of ${server}…`;
  const doing = CALLS[toolName];
  return doing ? doing(given) : t`Calling ${toolLabel(toolName)}…`;
}

/** Action of a finished step. */
export function stepLabel(action: StepActionJson | undefined): string {
  const done = ofMember(DONE, action);
  return done ? i18n._(done) : t`Step`;
}

/** What a step was for; empty if unknown. */
export function stepTypeLabel(type: StepTypeJson | undefined): string {
  const label = ofMember(TYPES, type);
  return label ? i18n._(label) : "";
}

/** Formats the arguments of a tool on one line: texts and numbers, not nested values. */
export function toolInput({ parameters }: Pick<ToolCallJson, "parameters">): string {
  const values = Object.values(parameters ?? {}).filter((value) => typeof value === "string" || typeof value === "number");
  return values.join(" · ");
}

/** Label of a run's status. */
export function runLabel(status: RunStatusJson | undefined): string {
  const label = ofMember(RUN, status);
  return label ? i18n._(label) : "";
}

/** The parallel calls of a step: how many run, how many are needed, and how many have ended. */
export function parallelLabel(calls: readonly ToolCallJson[], strategy: WaitStrategyJson | undefined): string {
  const done = calls.filter(({ status }) => !isUnderWay(status)).length;
  const total = calls.length;
  const wait = ofMember(WAITS, strategy);
  const enough = wait ? i18n._(wait) : "";
  const parallel = plural(total, { one: "# parallel call", other: "# parallel calls" });
  return `${parallel}${enough} · ${t`${done} of ${total} done`}`;
}

/** Describes what was omitted from a prompt; empty if nothing was. */
export function omissionsLabel(omissions: PromptOmissionsJson | undefined): string {
  const { messages = 0, summarizedMessages = 0, steps = [] } = omissions ?? {};
  const parts = [
    messages > 0 && plural(messages, { one: "# earlier message", other: "# earlier messages" }),
    steps.length > 0 && t`the details of ${steps.length === 1 ? t`step` : t`steps`} ${steps.join(", ")}`,
    summarizedMessages > 0 && plural(summarizedMessages, { one: "# message, except in a summary", other: "# messages, except in a summary" }),
  ].filter(Boolean);
  return parts.length > 0 ? t`Excluded from the prompt: ${parts.join("; ")}.` : "";
}
