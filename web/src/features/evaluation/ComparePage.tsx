import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { evaluationQuery, resultsQuery } from "@/data/evaluation";
import type { EvaluationResultJson, EvaluationRunJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { classes } from "@/ui/classes";
import { formatPercent, formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { assistantOf } from "./parts/EvaluationRows";
import { ComparedFigures } from "./parts/Figures";
import { meanOf, RESULT_STATUSES } from "./parts/measures";
import styles from "./evaluation.module.css";

const STATE = { a: text(), b: text() };

/** Two evaluations side by side: their figures, and each question. */
export function ComparePage() {
  const { t } = useLingui();
  const [{ a, b }] = useSearchState(STATE);
  const first = useQuery({ ...evaluationQuery(a), enabled: a !== "" });
  const second = useQuery({ ...evaluationQuery(b), enabled: b !== "" });
  const failed = [first, second].find(({ error }) => error);
  return (
    <Page title={t`Compare evaluations`} section={t`Evaluations`} parents={[{ href: "/evaluations", label: t`Evaluations` }]} isWide>
      {failed?.error && <LoadFailure error={failed.error} onRetry={failed.refetch} />}
      {(!a || !b) && (
        <p>
          <Trans>Open an evaluation and choose another one to compare it with.</Trans>
        </p>
      )}
      {(first.isLoading || second.isLoading) && <Spinner label={t`Loading`} />}
      {first.data && second.data && <Comparison first={first.data} second={second.data} />}
    </Page>
  );
}

function Comparison({ first, second }: { first: EvaluationRunJson; second: EvaluationRunJson }) {
  const { t } = useLingui();
  const a = useQuery(resultsQuery(first));
  const b = useQuery(resultsQuery(second));
  const isSame = first.datasetId === second.datasetId;
  return (
    <>
      {!isSame && <Notice tone="warn">{t`These evaluations are with different datasets, so that their figures cannot be compared.`}</Notice>}
      <ul className={styles.legend}>
        <Side run={first} isBefore />
        <Side run={second} />
      </ul>
      <ComparedFigures first={first} second={second} />
      {isSame && a.data && b.data && <Questions before={a.data} after={b.data} />}
    </>
  );
}

function Side({ run, isBefore = false }: { run: EvaluationRunJson; isBefore?: boolean }) {
  return (
    <li>
      <span className={classes(styles.swatch, isBefore && styles.before)} aria-hidden />
      <Link href={`/evaluations/${run.id ?? ""}`}>
        {assistantOf(run)}, {formatTimestamp(run.creationDate)}
      </Link>
    </li>
  );
}

function Questions({ before, after }: { before: readonly EvaluationResultJson[]; after: readonly EvaluationResultJson[] }) {
  const { t } = useLingui();
  const byCase = (results: readonly EvaluationResultJson[]) => new Map(results.map((result) => [Number(result.caseId ?? 0) || -Number(result.id), result]));
  const [earlier, later] = [byCase(before), byCase(after)];
  const pairs = [...new Set([...earlier.keys(), ...later.keys()])].map((key) => ({ key, from: earlier.get(key), to: later.get(key) }));
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard scrolling requires focus
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={t`Questions`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t`Question`}</th>
            <th scope="col">{t`First`}</th>
            <th scope="col">{t`Second`}</th>
            <th scope="col">{t`Change`}</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ key, from, to }) => (
            <tr key={key}>
              <th scope="row">{(to ?? from)?.expected?.question}</th>
              <Cell result={from} />
              <Cell result={to} />
              <ChangeCell from={meanOf(from, to)} to={meanOf(to, from)} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ result }: { result: EvaluationResultJson | undefined }) {
  const { t } = useLingui();
  if (!result) return <td>{t`Not asked`}</td>;
  const { status = "EVALUATION_RESULT_STATUS_UNSPECIFIED", missing = [], answer = "" } = result;
  const mean = meanOf(result);
  return (
    <td>
      {status === "EVALUATION_RESULT_STATUS_COMPLETED" && mean !== undefined ? formatPercent(mean) : t(RESULT_STATUSES[status])}
      {missing.length > 0 && <p className={styles.note}>{t`Missing: ${missing.join(" · ")}`}</p>}
      {answer && (
        <details className={styles.note}>
          <summary>{t`Answer`}</summary>
          <p className={styles.answer}>{answer}</p>
        </details>
      )}
    </td>
  );
}

function ChangeCell({ from, to }: { from: number | undefined; to: number | undefined }) {
  if (from === undefined || to === undefined) return <td>–</td>;
  if (from === to) return <td>=</td>;
  return (
    <td className={to > from ? styles.better : styles.worse}>
      {to > from ? "▲" : "▼"} {formatPercent(Math.abs(to - from))}
    </td>
  );
}
