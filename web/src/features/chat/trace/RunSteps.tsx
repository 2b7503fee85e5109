import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isOver, memberName, runTreeQuery, stepsQuery } from "@/data/runs";
import { todosQuery } from "@/data/todos";
import { Plan } from "@/features/chat/plan/Plan";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { GoalOutcome } from "./GoalOutcome";
import { RunBudget } from "./RunBudget";
import { RunFailure } from "./RunFailure";
import { RunStep } from "./RunStep";
import { SubAgent } from "./SubAgent";
import styles from "./RunSteps.module.css";

/** Interval between refreshes of the steps of an active run. */
const LIVE_MS = 2000;

/** The steps of a run, with their tool calls and its sub-agents. */
export function RunSteps({ runId }: { runId: string }) {
  const { t } = useLingui();
  const tree = useQuery({
    ...runTreeQuery(runId),
    refetchInterval: ({ state }) => (state.data?.[0] && !isOver(state.data[0].status) ? LIVE_MS : false),
  });
  if (tree.error) return <LoadFailure error={tree.error} onRetry={tree.refetch} />;
  if (!tree.data) return <Spinner label={t`Loading the steps`} />;
  const [root] = tree.data;
  return (
    <div className={styles.panel}>
      {(isOver(root?.status) || !root?.autoRun) && <RunBudget runs={tree.data} />}
      {/* The outcome of a goal is under the answer, and with the call that reported it. */}
      {root?.error?.reason !== "GOAL_NOT_REACHED" && <RunFailure error={root?.error} />}
      <StepList runId={runId} tree={tree.data} />
    </div>
  );
}

function StepList({ runId, tree }: { runId: string; tree: readonly RunJson[] }) {
  const { t } = useLingui();
  const run = tree.find(({ id }) => id === runId);
  const isLive = !isOver(run?.status);
  const { data: steps, error, refetch } = useQuery({ ...stepsQuery(runId), refetchInterval: isLive && LIVE_MS });
  // Only runs in agent mode can end a goal.
  const { data: todos = [] } = useQuery({ ...todosQuery(String(run?.chatSessionId ?? 0)), enabled: run?.autoRun === true });
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!steps) return <Spinner label={t`Loading the steps`} />;
  const calls = steps.flatMap(({ toolCalls }) => toolCalls ?? []);
  const children = tree.filter(({ parentRunId }) => parentRunId === runId);
  const childOf = (call: ToolCallJson) => children.find(({ id }) => id && id === call.externalTaskId);
  const loose = children.filter(({ id }) => !calls.some(({ externalTaskId }) => externalTaskId === id));
  return (
    <>
      <GoalOutcome calls={calls} todos={todos.filter((todo) => todo.runId === runId)} />
      {steps.length === 0 && <p className={styles.none}>{isLive ? t`No step yet.` : run?.stepsExecuted ? t`The steps were deleted by a retention rule.` : t`The run ended before its first step.`}</p>}
      <ol className={styles.steps} aria-label={t`Steps of the run`}>
        {steps.map((step) => (
          <RunStep
            key={step.stepNumber}
            runId={runId}
            step={step}
            canExclude={run?.status === "RUN_STATUS_PAUSED" || run?.status === "RUN_STATUS_WAITING_FOR_INPUT"}
            instead={(call) => {
              const child = childOf(call);
              return child && <StoredSubAgent run={child} tree={tree} />;
            }}
          />
        ))}
      </ol>
      {loose.map((child) => (
        <StoredSubAgent key={child.id} run={child} tree={tree} />
      ))}
    </>
  );
}

/** A sub-agent whose steps are read when it is opened. */
function StoredSubAgent({ run, tree }: { run: RunJson; tree: readonly RunJson[] }) {
  const [isOpen, setOpen] = useState(false);
  const session = String(run.chatSessionId ?? 0);
  const { data: todos = [] } = useQuery({ ...todosQuery(session), enabled: isOpen });
  const result = run.resultSummary || run.output;
  const tokens = Number(run.promptTokens ?? 0) + Number(run.completionTokens ?? 0);
  return (
    <SubAgent member={memberName(run)} goal={run.goal || run.input || ""} status={run.status} tokens={tokens} isOpen={isOpen} onToggle={setOpen}>
      <RunFailure error={run.error} />
      {run.inheritedContext && (
        <details className={styles.told}>
          <summary><Trans>Task</Trans></summary>
          <p>{run.inheritedContext}</p>
        </details>
      )}
      {result && <p className={styles.reasoning}>{result}</p>}
      <Plan todos={todos.filter(({ runId }) => runId === run.id)} />
      {isOpen && run.id && <StepList runId={run.id} tree={tree} />}
    </SubAgent>
  );
}
