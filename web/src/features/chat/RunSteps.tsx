import { useQuery } from "@tanstack/react-query";
import type { StepJson } from "@/gen/echomind/public/v1/run_pb";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { formatDuration } from "@/ui/format";
import { stepLabel } from "./activity";
import { stepsQuery } from "./queries";
import { ToolCalls } from "./ToolCalls";
import styles from "./RunSteps.module.css";

/** The steps of a finished run, with their tool calls. */
export function RunSteps({ runId }: { runId: string }) {
  const { data: steps, error, refetch } = useQuery(stepsQuery(runId));
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!steps) return <Spinner label="Loading the steps" />;
  return (
    <ol className={styles.steps} aria-label="Steps of the run">
      {steps.map((step) => (
        <li key={step.id} className={styles.step}>
          <span>
            {stepLabel(step.action)}
            <span className={styles.figures}>{figures(step)}</span>
          </span>
          {step.reasoning && <p className={styles.reasoning}>{step.reasoning}</p>}
          {step.errorMessage && <p className={styles.error}>{step.errorMessage}</p>}
          <ToolCalls calls={step.toolCalls ?? []} />
        </li>
      ))}
    </ol>
  );
}

function figures(step: StepJson): string {
  const tokens = (step.promptTokens ?? 0) + (step.completionTokens ?? 0);
  return [
    step.llmModel,
    step.executionDurationMs && formatDuration(step.executionDurationMs),
    tokens > 0 && `${tokens.toLocaleString()} tokens`,
  ]
    .filter(Boolean)
    .join(" · ");
}
