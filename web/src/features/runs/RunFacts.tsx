import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { costWords, llmsQuery } from "@/data/llms";
import { RunStatus } from "@/features/conversations/RunStatus";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { formatDuration, formatNumber, formatTimestamp } from "@/ui/format";
import styles from "./RunFacts.module.css";

/** The properties and usage of a run. */
export function RunFacts({ run }: { run: RunJson }) {
  const { t } = useLingui();
  const { data: llms = [] } = useQuery(llmsQuery);
  const llm = llms.find(({ id }) => id === run.llmId);
  const { promptTokens = 0, completionTokens = 0, durationMs = 0, cost = 0, maxSteps = 0, assistantName: name, assistantVersion: version = 0 } = run;
  const facts: readonly [string, string | undefined | false][] = [
    [t`Assistant`, name && (version ? t`${name}, version ${version}` : name)],
    [t`Model`, llm?.name],
    [t`Asked`, formatTimestamp(run.creationDate)],
    [t`Duration`, Number(durationMs) > 0 && formatDuration(Number(durationMs))],
    [t`First words after`, (run.timeToFirstTokenMs ?? 0) > 0 && formatDuration(run.timeToFirstTokenMs ?? 0)],
    [t`Steps`, `${formatNumber(run.stepsExecuted ?? 0)} / ${formatNumber(maxSteps)}`],
    [t`Tool calls`, formatNumber(run.toolsCalled ?? 0)],
    [t`Prompt tokens`, formatNumber(Number(promptTokens))],
    [t`Answer tokens`, formatNumber(Number(completionTokens))],
    [t`Cost`, costWords(Number(cost), Number(promptTokens) + Number(completionTokens), llm)],
    [t`Attempts`, (run.attempt ?? 0) > 1 && formatNumber(run.attempt ?? 0)],
    [t`Allowed tools`, run.tools?.join(", ")],
    [t`External ID`, run.externalId],
    [t`Metadata`, Object.entries(run.metadata ?? {}).map(([key, value]) => `${key}=${value}`).join(", ")],
  ];
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t`Status`}</dt>
        <dd>
          <RunStatus status={run.status} isLabelled />
        </dd>
      </div>
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
