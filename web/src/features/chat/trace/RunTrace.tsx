import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { warningWords } from "@/api/error-words";
import { isOver, isUnderWay, runQuery, runTreeQuery } from "@/data/runs";
import { childrenOf, type Feed } from "@/features/chat/live/feed";
import type { LiveRun } from "@/features/chat/live/run";
import { Plan } from "@/features/chat/plan/Plan";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import type { ToolCallChangedJson } from "@/gen/echomind/public/v1/session_event_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Notice } from "@/ui/Notice";
import { activityOf, parallelLabel } from "./activity";
import { RunFailure } from "./RunFailure";
import { SubAgent } from "./SubAgent";
import { ToolCalls } from "./ToolCalls";
import styles from "./RunTrace.module.css";

/** Tools whose effect the plan shows. */
const PLANNING = new Set<string | undefined>(["write_todos", "update_todo"]);

/** Interval between refreshes of active members' usage. */
const FIGURES_MS = 2000;
/** Characters of a text that a closed line shows. */
const NEWEST_LENGTH = 90;

type Tokens = Readonly<Record<string, number>>;

interface RunTraceProps {
  run: LiveRun;
  feed: Feed;
  /** Tokens of the runs below the root so far, by id; unset for the root, which reads them. */
  tokens?: Tokens;
  /** Its plan, while no event has brought it. */
  todos?: readonly TodoJson[];
}

/** The activity of a run: its plan, its tool calls step by step, and its sub-agents. */
export function RunTrace({ run, feed, todos = [], tokens: given }: RunTraceProps) {
  const children = childrenOf(feed, run.runId);
  const { data: tree = [] } = useQuery({
    ...runTreeQuery(run.runId),
    enabled: !given && children.length > 0,
    refetchInterval: FIGURES_MS,
  });
  const tokens = given ?? tokensOf(tree);
  const callIds = new Set(run.toolCalls.map(({ toolCallId }) => toolCallId));
  const childOf = (call: ToolCallChangedJson) => children.find(({ origin }) => origin?.toolCallId === call.toolCallId);
  // A call that started a sub-agent ends with its step, maybe later than the sub-agent.
  const settled = (call: ToolCallChangedJson) => (isOver(childOf(call)?.status) ? { ...call, status: "STEP_STATUS_COMPLETED" as const } : call);
  const loose = children.filter(({ origin }) => !callIds.has(origin?.toolCallId));
  const groups = bySteps(run.toolCalls).map((calls) => listed(calls, childOf)).filter(({ length }) => length > 0);
  return (
    <div className={styles.trace}>
      {run.warnings.map((warning, index) => (
        <Notice key={index} tone="warn">
          {warningWords(warning)}
        </Notice>
      ))}
      <Plan todos={feed.todos[run.runId] ?? todos} />
      {groups.map((calls, index) => (
        <div key={index} className={styles.group}>
          {calls.length > 1 && (
            <p className={styles.parallel}>{parallelLabel(calls.map(settled), stepOf(run, calls)?.waitStrategy)}</p>
          )}
          <ToolCalls
            calls={calls}
            instead={(call) => {
              const child = childOf(call);
              return child && <LiveSubAgent run={child} feed={feed} tokens={tokens} />;
            }}
          />
        </div>
      ))}
      {loose.map((child) => (
        <LiveSubAgent key={child.runId} run={child} feed={feed} tokens={tokens} />
      ))}
    </div>
  );
}

interface LiveSubAgentProps {
  run: LiveRun;
  feed: Feed;
  tokens: Tokens;
}

/** A running sub-agent; its result for the parent is fetched when it has ended, because events do not contain it. */
function LiveSubAgent({ run, feed, tokens }: LiveSubAgentProps) {
  const isDone = isOver(run.status);
  const { data: stored } = useQuery({ ...runQuery(run.runId), enabled: isDone });
  const text = feed.runTexts[run.runId]?.text ?? "";
  const { member = "", goal = "" } = run.origin ?? {};
  return (
    <SubAgent member={member} goal={goal} status={run.status} tokens={tokens[run.runId]} isOpen={!isDone}>
      <RunTrace run={run} feed={feed} tokens={tokens} />
      {!isDone && <p className={styles.activity}>{activityOf(run, text !== "", true)}</p>}
      {!isDone && text && <RunText text={text} />}
      <RunFailure error={stored?.error ?? run.error} />
      {stored?.resultSummary && <p className={styles.result}>{stored.resultSummary}</p>}
    </SubAgent>
  );
}

/** The text of a member: its newest words, and when opened all of it. */
function RunText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.text} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{isOpen ? <Trans>Text so far</Trans> : <span className={styles.newest}>{newest(text)}</span>}</summary>
      <p className={styles.result}>{text}</p>
    </details>
  );
}

/** The newest words of a text, on one line. */
function newest(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > NEWEST_LENGTH ? `… ${line.slice(-NEWEST_LENGTH)}` : line;
}

function tokensOf(tree: readonly RunJson[]): Tokens {
  return Object.fromEntries(
    tree.map(({ id = "", promptTokens, completionTokens }) => [id, Number(promptTokens ?? 0) + Number(completionTokens ?? 0)]),
  );
}

/** The parallel calls of each step, in order. */
function bySteps(calls: readonly ToolCallChangedJson[]): ToolCallChangedJson[][] {
  const groups: ToolCallChangedJson[][] = [];
  for (const call of calls) {
    const group = groups.at(-1);
    if (group && group[0]?.stepNumber === call.stepNumber) group.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** The plan, and a single running call in the activity line, need no line of their own. */
function listed(step: ToolCallChangedJson[], childOf: (call: ToolCallChangedJson) => LiveRun | undefined): ToolCallChangedJson[] {
  const calls = step.filter(({ toolName, status }) => !(PLANNING.has(toolName) && status === "STEP_STATUS_COMPLETED"));
  const [call] = calls;
  if (!call || calls.length > 1 || childOf(call)) return calls;
  const hasMore = call.progressPercentage || call.approval === "TOOL_APPROVAL_REQUIRED";
  return isUnderWay(call.status) && !hasMore ? [] : calls;
}

function stepOf(run: LiveRun, calls: readonly ToolCallChangedJson[]) {
  return run.steps.find(({ stepNumber }) => stepNumber === calls[0]?.stepNumber);
}
