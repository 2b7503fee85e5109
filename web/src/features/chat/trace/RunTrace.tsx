import { useQuery } from "@tanstack/react-query";
import { isOver, isUnderWay, runQuery } from "@/data/runs";
import { childrenOf, type Feed } from "@/features/chat/live/feed";
import type { LiveRun } from "@/features/chat/live/run";
import { Plan } from "@/features/chat/plan/Plan";
import type { ToolCallChangedJson } from "@/gen/echomind/public/v1/session_event_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Notice } from "@/ui/Notice";
import { parallelLabel, runLabel } from "./activity";
import { RunFailure } from "./RunFailure";
import { SubAgent } from "./SubAgent";
import { ToolCalls } from "./ToolCalls";
import styles from "./RunTrace.module.css";

/** Tools whose effect the plan shows. */
const PLANNING = new Set<string | undefined>(["write_todos", "update_todo"]);

interface RunTraceProps {
  run: LiveRun;
  feed: Feed;
  /** Its plan, while no event has brought it. */
  todos?: readonly TodoJson[];
}

/** What a run has done so far: its plan, its tool calls step by step, and its sub-agents. */
export function RunTrace({ run, feed, todos = [] }: RunTraceProps) {
  const children = childrenOf(feed, run.runId);
  const callIds = new Set(run.toolCalls.map(({ toolCallId }) => toolCallId));
  const childOf = (call: ToolCallChangedJson) => children.find(({ origin }) => origin?.toolCallId === call.toolCallId);
  const loose = children.filter(({ origin }) => !callIds.has(origin?.toolCallId));
  const groups = bySteps(run.toolCalls).map((calls) => listed(calls, childOf)).filter(({ length }) => length > 0);
  return (
    <div className={styles.trace}>
      {run.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <Plan todos={feed.todos[run.runId] ?? todos} />
      {groups.map((calls, index) => (
        <div key={index} className={styles.group}>
          {calls.length > 1 && (
            <p className={styles.parallel}>{parallelLabel(calls, stepOf(run, calls)?.waitStrategy)}</p>
          )}
          <ToolCalls
            calls={calls}
            instead={(call) => {
              const child = childOf(call);
              return child && <LiveSubAgent run={child} feed={feed} />;
            }}
          />
        </div>
      ))}
      {loose.map((child) => (
        <LiveSubAgent key={child.runId} run={child} feed={feed} />
      ))}
    </div>
  );
}

/** A sub-agent at work; its result for the parent is read when it has ended, as events do not carry it. */
function LiveSubAgent({ run, feed }: RunTraceProps) {
  const isDone = isOver(run.status);
  const { data: stored } = useQuery({ ...runQuery(run.runId), enabled: isDone });
  return (
    <SubAgent member={run.origin?.member ?? ""} goal={run.origin?.goal ?? ""} status={run.status} isOpen={!isDone}>
      <RunTrace run={run} feed={feed} />
      {!isDone && <p className={styles.activity}>{run.activity || runLabel(run.status)}</p>}
      <RunFailure error={stored?.error ?? run.error} />
      {stored?.resultSummary && <p className={styles.result}>{stored.resultSummary}</p>}
    </SubAgent>
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

/** What the plan shows, and a single running call that the activity line shows, need no line of their own. */
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
