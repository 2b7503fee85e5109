import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import type { UsageJson, UsageKindJson } from "@/gen/echomind/public/v1/usage_pb";
import { formatDay, formatNumber } from "@/ui/format";
import { costOf } from "./cost";
import styles from "./UsagePage.module.css";

const KINDS: Record<UsageKindJson, MessageDescriptor> = {
  USAGE_KIND_UNSPECIFIED: msg`Other`,
  USAGE_KIND_ANSWER: msg`Answers`,
  USAGE_KIND_PLAIN_MODEL: msg`Plain models for programs`,
  USAGE_KIND_TITLE: msg`Titles`,
  USAGE_KIND_SUMMARY: msg`Summaries`,
  USAGE_KIND_LEARNING: msg`Learning from conversations`,
  USAGE_KIND_JUDGEMENT: msg`Judging answers`,
  USAGE_KIND_EMBEDDING: msg`Vectors for programs (estimated)`,
};

interface UsageTableProps {
  usage: readonly UsageJson[];
  by: "day" | "model" | "day-model" | "assistant" | "person" | "kind";
  /** The models, if it is grouped by them. */
  llms: readonly LlmJson[];
}

/** The figures, newest day or largest group first. */
export function UsageTable({ usage, by, llms }: UsageTableProps) {
  const { t } = useLingui();
  const isOfDays = by === "day" || by === "day-model";
  const isOfGroups = by !== "day";
  const rows = isOfDays ? usage.toReversed() : usage;
  if (rows.length === 0) {
    return (
      <p>
        <Trans>No questions in this period.</Trans>
      </p>
    );
  }
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard scrolling requires focus
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={t`Usage`}>
      <table className={styles.table}>
        <thead>
          <tr>
            {isOfDays && <th scope="col">{t`Day`}</th>}
            {isOfGroups && (
              <th scope="col" className={styles.name}>
                {t`Name`}
              </th>
            )}
            <th scope="col">{t`Questions`}</th>
            <th scope="col">{t`Failed`}</th>
            <th scope="col">{t`People`}</th>
            <th scope="col">{t`Prompt tokens`}</th>
            <th scope="col">{t`Answer tokens`}</th>
            <th scope="col">{t`Cost`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.day ?? ""} ${row.id ?? 0} ${row.kind ?? ""}`}>
              {isOfDays && <th scope="row">{formatDay(row.day)}</th>}
              {isOfGroups && (
                <th scope="row" className={styles.name}>
                  {by === "kind" ? t(KINDS[row.kind ?? "USAGE_KIND_UNSPECIFIED"]) : row.name || t({ message: `None`, context: "usage" })}
                </th>
              )}
              <td>{formatNumber(Number(row.questions ?? 0))}</td>
              <td>{formatNumber(Number(row.failedQuestions ?? 0))}</td>
              <td>{formatNumber(row.activeUsers ?? 0)}</td>
              <td>{formatNumber(Number(row.promptTokens ?? 0))}</td>
              <td>{formatNumber(Number(row.completionTokens ?? 0))}</td>
              <td>{costOf(row, llms.find(({ id }) => id === row.id))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
