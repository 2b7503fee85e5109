import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { feedbackRatesQuery } from "@/data/feedback";
import type { FeedbackRateJson } from "@/gen/echomind/public/v1/feedback_service_pb";
import { SelectField } from "@/ui/Field";
import { formatNumber, formatPercent } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import styles from "./FeedbackPage.module.css";

export const RATED = ["assistants", "llms", "sources"] as const;
export type Rated = (typeof RATED)[number];

/** Ratings of answers, by assistant, model or source. */
export function FeedbackRates({ by, onChange }: { by: Rated; onChange: (by: Rated) => void }) {
  const { t } = useLingui();
  const rates = useQuery(feedbackRatesQuery);
  if (rates.error) return <LoadFailure error={rates.error} onRetry={rates.refetch} />;
  const rows = rates.data?.[by] ?? [];
  return (
    <section className={styles.rates} aria-label={t`Rates`}>
      <SelectField
        label={t`Rates by`}
        value={by}
        options={[
          { value: "assistants", label: t`Assistant` },
          { value: "llms", label: t`Model` },
          { value: "sources", label: t`Source` },
        ]}
        onChange={(next) => onChange(next as Rated)}
      />
      {rows.length > 0 && (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard scrolling requires focus
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={t`Table of rates`}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col"><Trans>Name</Trans></th>
                <th scope="col"><Trans>Answers</Trans></th>
                <th scope="col"><Trans>Helpful answers</Trans></th>
                <th scope="col"><Trans>Helpful sources</Trans></th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id ?? 0}>
                  <th scope="row">{row.name || t`Not known`}</th>
                  <td>{formatNumber(Number(row.answers ?? 0))}</td>
                  <td>{share(row.helpfulAnswers, row.unhelpfulAnswers)}</td>
                  <td>{share(row.helpfulPassages, row.unhelpfulPassages)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The share of helpful ratings, with the number of ratings. */
function share(helpful: FeedbackRateJson["helpfulAnswers"], unhelpful: FeedbackRateJson["unhelpfulAnswers"]): string {
  const [up, all] = [Number(helpful ?? 0), Number(helpful ?? 0) + Number(unhelpful ?? 0)];
  return all === 0 ? "–" : `${formatPercent(up / all)} (${formatNumber(up)}/${formatNumber(all)})`;
}
