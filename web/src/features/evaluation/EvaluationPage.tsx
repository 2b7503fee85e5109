import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Ban, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { evaluationQuery, evaluationsQuery, isRunning, resultsQuery, useCancelEvaluation, useDeleteEvaluation } from "@/data/evaluation";
import type { EvaluationResultJson, EvaluationRunJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { SelectField } from "@/ui/Field";
import { formatDuration, formatPercent, formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { showFailure } from "@/ui/toasts";
import { assistantOf, StatusBadge } from "./parts/EvaluationRows";
import { Figures } from "./parts/Figures";
import { RESULT_STATUSES } from "./parts/measures";
import styles from "./evaluation.module.css";

/** An evaluation: its figures, and what came of each question. */
export function EvaluationPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: run, error, refetch } = useQuery(evaluationQuery(id));
  return (
    <Page
      title={run ? t`${run.datasetName ?? ""} with ${assistantOf(run)}` : t`Evaluation`}
      section={t`Evaluations`}
      parents={[{ href: "/evaluations", label: t`Evaluations` }, ...(run ? [{ href: `/evaluations/datasets/${run.datasetId ?? ""}`, label: run.datasetName ?? "" }] : [])]}
      isWide
      actions={run && <EvaluationActions run={run} />}
    >
      <QueryView error={error} onRetry={refetch} isPending={!run} label={t`Loading`} />
      {run && <Evaluation run={run} />}
    </Page>
  );
}

function EvaluationActions({ run }: { run: EvaluationRunJson }) {
  const { t } = useLingui();
  const { id = "", datasetId = "0" } = run;
  const [, navigate] = useLocation();
  const { data: others = [] } = useQuery(evaluationsQuery(datasetId));
  const [isDeleting, setDeleting] = useState(false);
  const cancel = useCancelEvaluation();
  const remove = useDeleteEvaluation();
  const comparable = others.filter((other) => other.id !== id);
  return (
    <div className={styles.actions}>
      {comparable.length > 0 && (
        <SelectField
          label={t`Compare with`}
          value=""
          options={[
            { value: "", label: t`Choose an evaluation` },
            ...comparable.map((other) => ({ value: other.id ?? "", label: `${assistantOf(other)}, ${formatTimestamp(other.creationDate)}` })),
          ]}
          onChange={(other) => {
            const [first, second] = Number(other) < Number(id) ? [other, id] : [id, other];
            navigate(`/evaluations/compare?a=${first}&b=${second}`);
          }}
        />
      )}
      {isRunning(run) ? (
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate(id, { onError: showFailure })}>
          <Ban size={16} /> <Trans>Cancel</Trans>
        </Button>
      ) : (
        <Button onClick={() => setDeleting(true)}>
          <Trash2 size={16} /> <Trans>Delete</Trans>
        </Button>
      )}
      {isDeleting && (
        <ConfirmDialog
          title={t`Delete this evaluation?`}
          text={t`Its results are deleted permanently.`}
          action={t`Delete`}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            navigate(`/evaluations/datasets/${datasetId}`);
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

function Evaluation({ run }: { run: EvaluationRunJson }) {
  const { t } = useLingui();
  const results = useQuery(resultsQuery(run));
  const { status, statusMessage, questions = 0, answered = 0, failed = 0, judgeLlmName = "", creationDate } = run;
  return (
    <>
      <p>
        <StatusBadge {...(status && { status })} /> <Trans>started {formatTimestamp(creationDate)}</Trans>
        {" · "}
        <Trans>
          {answered} of {questions} answered, {failed} failed
        </Trans>
        {judgeLlmName && <> · {t`judged by ${judgeLlmName}`}</>}
      </p>
      {isRunning(run) && <progress className={styles.progress} value={answered + failed} max={Math.max(questions, 1)} aria-label={t`Progress of the evaluation`} />}
      {statusMessage && <Notice tone="danger">{serverWords(statusMessage)}</Notice>}
      <Figures figures={run.figures} />
      {results.error && <LoadFailure error={results.error} onRetry={results.refetch} />}
      {results.data && <Results results={results.data} />}
    </>
  );
}

function Results({ results }: { results: readonly EvaluationResultJson[] }) {
  const { t } = useLingui();
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard scrolling requires focus
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={t`Results`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t`Question`}</th>
            <th scope="col">{t`Status`}</th>
            <th scope="col">{t`Rank`}</th>
            <th scope="col">{t`Documents`}</th>
            <th scope="col">{t`Passages`}</th>
            <th scope="col">{t`Facts`}</th>
            <th scope="col">{t`Citations`}</th>
            <th scope="col">{t`Judge`}</th>
            <th scope="col">{t`Duration`}</th>
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <ResultRow key={result.id} result={result} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ResultRow({ result }: { result: EvaluationResultJson }) {
  const { t } = useLingui();
  const { expected, status = "EVALUATION_RESULT_STATUS_UNSPECIFIED", statusMessage, answer = "", rank = 0, missing = [], citations = 0, supportedCitations = 0 } = result;
  const { judgeReason = "", runId = "", durationMs } = result;
  return (
    <tr>
      <th scope="row">
        {runId ? <Link href={`/runs/${runId}`}>{expected?.question}</Link> : expected?.question}
        {statusMessage && <p className={styles.note}>{serverWords(statusMessage)}</p>}
        {missing.length > 0 && <p className={styles.note}>{t`Missing: ${missing.join(" · ")}`}</p>}
        {judgeReason && judgeReason !== statusMessage && <p className={styles.note}>{t`Judge: ${serverWords(judgeReason)}`}</p>}
        {answer && (
          <details className={styles.note}>
            <summary>{t`Answer`}</summary>
            <p className={styles.answer}>{answer}</p>
          </details>
        )}
      </th>
      <td>{t(RESULT_STATUSES[status])}</td>
      <td>{rank > 0 ? rank : "–"}</td>
      <Share value={result.documentShare} />
      <Share value={result.passageShare} />
      <Share value={result.factShare} />
      <td>{citations > 0 ? `${supportedCitations}/${citations}` : "–"}</td>
      <Share value={result.judgeScore} />
      <td>{Number(durationMs ?? 0) > 0 ? formatDuration(Number(durationMs)) : "–"}</td>
    </tr>
  );
}

function Share({ value }: { value: EvaluationResultJson["judgeScore"] }) {
  return <td>{value === undefined ? "–" : formatPercent(Number(value))}</td>;
}
