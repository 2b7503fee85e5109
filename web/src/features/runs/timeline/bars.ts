/** The waterfall of a run: when its steps, model calls, tool calls and sub-agents began and ended. */
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import type { StepJson, ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** A line of the waterfall. Times are in milliseconds from the run's beginning. */
export interface Bar {
  key: string;
  depth: number;
  kind: "run" | "step" | "model" | "tool";
  start: number;
  end: number;
  hasFailed: boolean;
  run: RunJson;
  step?: StepJson;
  call?: ToolCallJson;
}

/**
 * The lines of a run and its sub-runs, in the order of their start.
 *
 * @param tree The run and its sub-runs, parents first.
 * @param stepsOf The loaded steps of a run.
 * @param now The end of unfinished bars.
 */
export function barsOf(tree: readonly RunJson[], stepsOf: (runId: string) => readonly StepJson[], now: Date): readonly Bar[] {
  const [root] = tree;
  if (!root) return [];
  const origin = time(root.creationDate, now);
  const at = (iso: string | undefined) => time(iso, now) - origin;
  const ofRun = (run: RunJson, depth: number): Bar[] => {
    const id = run.id ?? "";
    const children = tree.filter(({ parentRunId }) => parentRunId === id);
    const steps = stepsOf(id);
    const started = new Set(steps.flatMap(({ toolCalls = [] }) => toolCalls.map(({ externalTaskId }) => externalTaskId)));
    const bar: Bar = { key: id, depth, kind: "run", start: at(run.creationDate), end: at(run.completedAt), hasFailed: hasFailed(run.status), run };
    return [
      bar,
      ...steps.flatMap((step) => ofStep(run, step, children, depth + 1)),
      ...children.filter((child) => !started.has(child.id)).flatMap((child) => ofRun(child, depth + 1)),
    ];
  };
  const ofStep = (run: RunJson, step: StepJson, children: readonly RunJson[], depth: number): Bar[] => {
    const { stepNumber = 0, toolCalls = [], status } = step;
    const key = `${run.id ?? ""}/${stepNumber}`;
    const start = at(step.startedAt ?? run.startedAt);
    const end = at(step.completedAt ?? (hasEnded(status) ? (step.startedAt ?? run.completedAt) : undefined));
    const asked = Math.min(...toolCalls.map(({ startedAt }) => (startedAt ? at(startedAt) : end)), end);
    const model: Bar[] = step.llmModel ? [{ key: `${key}/model`, depth: depth + 1, kind: "model", start, end: Math.max(start, asked), hasFailed: false, run, step }] : [];
    const calls = toolCalls.flatMap((call, index): Bar[] => {
      const from = call.startedAt ? at(call.startedAt) : asked;
      const to = call.completedAt ? at(call.completedAt) : hasEnded(call.status) ? from : at(undefined);
      const child = children.find(({ id }) => id !== undefined && id === call.externalTaskId);
      return [
        { key: `${key}/${call.toolCallId ?? index}`, depth: depth + 1, kind: "tool", start: from, end: Math.max(from, to), hasFailed: hasFailed(call.status), run, step, call },
        ...(child ? ofRun(child, depth + 2) : []),
      ];
    });
    return [{ key, depth, kind: "step", start, end: Math.max(start, end), hasFailed: hasFailed(status), run, step }, ...model, ...calls];
  };
  return ofRun(root, 0);
}

function time(iso: string | undefined, now: Date): number {
  return iso ? new Date(iso).getTime() : now.getTime();
}

function hasFailed(status: string | undefined): boolean {
  return status?.endsWith("_FAILED") === true || status?.endsWith("_TIMEOUT") === true;
}

function hasEnded(status: string | undefined): boolean {
  return hasFailed(status) || status?.endsWith("_COMPLETED") === true || status?.endsWith("_CANCELLED") === true;
}
