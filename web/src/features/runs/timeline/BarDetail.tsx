import { Trans, useLingui } from "@lingui/react/macro";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { errorWords, serverWords } from "@/api/error-words";
import { memberName } from "@/data/runs";
import { StepPromptDialog } from "@/features/chat/StepPrompt";
import { callFailure, callResult, toolLabel } from "@/features/chat/tools";
import { Button } from "@/ui/Button";
import { formatDuration, formatNumber } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { RunFacts } from "../RunFacts";
import type { Bar } from "./bars";
import styles from "./BarDetail.module.css";

/** The subject of a line of the waterfall: a run, a step with its prompt, or a tool call with its result. */
export function BarDetail({ bar }: { bar: Bar }) {
  const { t } = useLingui();
  const [isPromptShown, showPrompt] = useState(false);
  const { kind, run, step, call } = bar;
  const title =
    kind === "run"
      ? [memberName(run), run.goal || run.input].filter(Boolean).join(": ")
      : kind === "tool"
        ? toolLabel(call?.toolName ?? "")
        : t`Step ${step?.stepNumber ?? 0}`;
  const texts: readonly [string, string | undefined][] =
    kind === "run"
      ? [[t`Result`, run.resultSummary || run.output]]
      : kind === "tool"
        ? [
            [t`Parameters`, call?.parameters && JSON.stringify(call.parameters, null, 2)],
            [t`Result`, call?.result && callResult(call)],
          ]
        : [
            [t`Reasoning`, step?.reasoning],
            [t`Output`, step?.output],
          ];
  const failure = kind === "tool" ? callFailure(call?.errorMessage) : kind === "run" ? run.error && errorWords(run.error.reason ?? "", run.error.message ?? "") : serverWords(step?.errorMessage);
  return (
    <section className={styles.detail} aria-label={t`Details`}>
      <header className={styles.head}>
        <h2>{title}</h2>
        <span>{formatDuration(bar.end - bar.start)}</span>
        {step && kind !== "tool" && (
          <span>
            {t`${formatNumber(step.promptTokens ?? 0)} prompt tokens`} · {t`${formatNumber(step.completionTokens ?? 0)} answer tokens`}
          </span>
        )}
        {step?.llmModel && kind !== "tool" && (
          <Button size="sm" onClick={() => showPrompt(true)}>
            <ScrollText size={15} aria-hidden /> <Trans>Show prompt</Trans>
          </Button>
        )}
      </header>
      {kind === "run" && <RunFacts run={run} />}
      {failure && <Notice tone="danger">{failure}</Notice>}
      {texts.map(
        ([label, text]) =>
          text && (
            <div key={label}>
              <h3>{label}</h3>
              {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keys */}
              <pre tabIndex={0}>{text}</pre>
            </div>
          ),
      )}
      {isPromptShown && step && run.id && <StepPromptDialog runId={run.id} stepNumber={step.stepNumber ?? 0} onClose={() => showPrompt(false)} />}
    </section>
  );
}
