import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { answerQuery, runQuery } from "@/data/runs";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { wordDiff } from "@/ui/word-diff";
import { RunFacts } from "./RunFacts";
import styles from "./ComparePage.module.css";

const STATE = { a: text(), b: text() };

/** Two runs side by side: their settings, figures, and the difference of their answers. */
export function ComparePage() {
  const { t } = useLingui();
  const [{ a, b }] = useSearchState(STATE);
  const first = useQuery({ ...runQuery(a), enabled: a !== "" });
  const second = useQuery({ ...runQuery(b), enabled: b !== "" });
  const failed = [first, second].find(({ error }) => error);
  return (
    <Page title={t`Compare runs`} parents={[{ href: "/runs", label: t`Runs` }]}>
      {failed?.error && <LoadFailure error={failed.error} onRetry={failed.refetch} />}
      {(!a || !b) && (
        <p>
          <Trans>Select two runs in the list to compare them.</Trans>
        </p>
      )}
      {(first.isLoading || second.isLoading) && <Spinner label={t`Loading the runs`} />}
      {first.data && second.data && <Comparison first={first.data} second={second.data} />}
    </Page>
  );
}

function Comparison({ first, second }: { first: RunJson; second: RunJson }) {
  const [a, b] = [useAnswer(first), useAnswer(second)];
  const parts = useMemo(() => wordDiff(a, b), [a, b]);
  const side = (run: RunJson, where: "first" | "second") => (
    <section className={styles.side} aria-label={run.input ?? ""}>
      <h2>
        <Link href={`/runs/${run.id ?? ""}`}>{run.goal || run.input}</Link>
      </h2>
      <RunFacts run={run} />
      <p className={styles.answer}>
        {parts
          .filter((part) => part.in === "both" || part.in === where)
          .map((part, index) => (part.in === "both" ? <span key={index}>{part.text}</span> : where === "first" ? <del key={index}>{part.text}</del> : <ins key={index}>{part.text}</ins>))}
      </p>
    </section>
  );
  return (
    <div className={styles.sides}>
      {side(first, "first")}
      {side(second, "second")}
    </div>
  );
}

/** The answer of a run: its message, or its output. */
function useAnswer({ messageId = "0", output = "" }: RunJson): string {
  const { data } = useQuery({ ...answerQuery(messageId), enabled: Number(messageId) > 0 });
  return data?.content ?? output;
}
