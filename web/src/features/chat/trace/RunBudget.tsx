import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Target } from "lucide-react";
import { costWords, llmsQuery } from "@/data/llms";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { formatCost, formatDuration, formatNumber } from "@/ui/format";
import styles from "./RunBudget.module.css";

/** The goal of an autonomous run, and the used budget of a run with its sub-runs. */
export function RunBudget({ runs }: { runs: readonly RunJson[] }) {
  const [run] = runs;
  const { data: llms = [] } = useQuery(llmsQuery);
  const llm = llms.find(({ id }) => id === run?.llmId);
  if (!run) return null;
  const { goal, input, maxSteps = 0, timeoutSeconds = 0, stepsExecuted = 0, secondsSpent = 0 } = run;
  const tokens = runs.reduce((sum, one) => sum + Number(one.promptTokens ?? 0) + Number(one.completionTokens ?? 0), 0);
  const cost = runs.reduce((sum, one) => sum + Number(one.cost ?? 0), 0);
  return (
    <section className={styles.budget} aria-label={t`Budget`}>
      {run.autoRun && (
        <p className={styles.goal}>
          <Target size={15} aria-hidden />
          <span>{goal && goal !== input ? goal : t`Agent mode`}</span>
        </p>
      )}
      <ul className={styles.limits}>
        <Limit name={t`Steps`} used={stepsExecuted} limit={maxSteps} format={String} />
        <Limit name={t`Time`} used={Number(secondsSpent)} limit={timeoutSeconds} format={(seconds) => formatDuration(seconds * 1000)} />
        <Limit name={t`Tokens`} used={tokens} limit={Number(run.maxRunTokens ?? 0)} format={formatNumber} />
        {(cost > 0 || Number(run.maxCost ?? 0) > 0) && (
          <Limit name={t`Cost`} used={cost} limit={Number(run.maxCost ?? 0)} format={(usd) => (usd === cost ? costWords(cost, tokens, llm) : formatCost(usd))} />
        )}
      </ul>
    </section>
  );
}

interface LimitProps {
  name: string;
  used: number;
  /** 0 means no limit. */
  limit: number;
  format: (value: number) => string;
}

function Limit({ name, used, limit, format }: LimitProps) {
  return (
    <li className={styles.limit}>
      <span className={styles.name}>{name}</span>
      <span>
        {limit > 0 ? t`${format(used)} of ${format(limit)}` : format(used)}
      </span>
      {limit > 0 && <progress className={styles.bar} max={limit} value={Math.min(used, limit)} aria-label={t`${name} used`} />}
    </li>
  );
}
