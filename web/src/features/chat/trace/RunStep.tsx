import { t as lingui } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ScrollText } from "lucide-react";
import { useState, type ReactNode } from "react";
import { serverWords } from "@/api/error-words";
import { useExcludeStep } from "@/data/runs";
import type { StepJson, ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { Button, IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { formatDuration, formatNumber } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { omissionsLabel, parallelLabel, stepLabel, stepTypeLabel } from "./activity";
import { StepPromptDialog } from "./StepPromptDialog";
import { ToolCalls } from "./ToolCalls";
import styles from "./RunSteps.module.css";

interface RunStepProps {
  runId: string;
  step: StepJson;
  /** Whether it can be excluded from later prompts now. */
  canExclude: boolean;
  /** Replacement of a call: the sub-agent that it started. */
  instead: (call: ToolCallJson) => ReactNode;
}

/** A step: its action, cost, tool calls and prompt. */
export function RunStep({ runId, step, canExclude, instead }: RunStepProps) {
  const { t } = useLingui();
  const { stepNumber = 0, excluded = false, toolCalls = [], omissions } = step;
  const [isPromptShown, showPrompt] = useState(false);
  const exclude = useExcludeStep(runId);
  return (
    <li className={classes(styles.step, excluded && styles.excluded)}>
      <div className={styles.head}>
        <span className={styles.label}>
          {stepNumber}. {stepLabel(step.action)}
          <span className={styles.figures}>{figures(step)}</span>
        </span>
        {canExclude && (
          <Button size="sm" variant="ghost" disabled={exclude.isPending} onClick={() => exclude.mutate({ stepNumber, isExcluded: !excluded })}>
            {excluded ? t`Include in context` : t`Exclude from context`}
          </Button>
        )}
        {step.llmModel && (
          <IconButton label={t`Show the prompt of step ${stepNumber}`} onClick={() => showPrompt(true)}>
            <ScrollText size={15} />
          </IconButton>
        )}
      </div>
      {excluded && <p className={styles.note}><Trans>Excluded from context.</Trans></p>}
      {step.reasoning && <p className={styles.reasoning}>{step.reasoning}</p>}
      {omissionsLabel(omissions) && <p className={styles.note}>{omissionsLabel(omissions)}</p>}
      {step.errorMessage && <p className={styles.error}>{serverWords(step.errorMessage)}</p>}
      {toolCalls.length > 1 && <p className={styles.note}>{parallelLabel(toolCalls, step.waitStrategy)}</p>}
      <ToolCalls calls={toolCalls} canOpen instead={instead} />
      {exclude.error && <Notice tone="danger">{exclude.error.message}</Notice>}
      {isPromptShown && <StepPromptDialog runId={runId} stepNumber={stepNumber} onClose={() => showPrompt(false)} />}
    </li>
  );
}

function figures(step: StepJson): string {
  const tokens = (step.promptTokens ?? 0) + (step.completionTokens ?? 0);
  return [
    stepTypeLabel(step.stepType),
    step.llmModel,
    step.executionDurationMs && formatDuration(step.executionDurationMs),
    tokens > 0 && lingui`${formatNumber(tokens)} tokens`,
  ]
    .filter(Boolean)
    .join(" · ");
}
