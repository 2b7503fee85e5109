import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { EvaluationRunJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { Badge } from "@/ui/Badge";
import { formatPercent, formatTimestamp } from "@/ui/format";
import { Row, Rows } from "@/ui/Rows";
import { SHARES, shareOf, STATUSES } from "./measures";

const TONES = {
  EVALUATION_STATUS_UNSPECIFIED: "neutral",
  EVALUATION_STATUS_RUNNING: "accent",
  EVALUATION_STATUS_COMPLETED: "neutral",
  EVALUATION_STATUS_CANCELLED: "warn",
  EVALUATION_STATUS_FAILED: "danger",
} as const;

/** A badge with the status of an evaluation. */
export function StatusBadge({ status = "EVALUATION_STATUS_UNSPECIFIED" }: Pick<EvaluationRunJson, "status">) {
  const { t } = useLingui();
  return <Badge tone={TONES[status]}>{t(STATUSES[status])}</Badge>;
}

/** The name of an evaluation's assistant with its version. */
export function assistantOf({ assistantName = "", assistantVersion = 0 }: EvaluationRunJson): string {
  return assistantVersion > 0 ? `${assistantName} v${assistantVersion}` : assistantName;
}

interface EvaluationRowsProps {
  evaluations: readonly EvaluationRunJson[];
  /** Whether the dataset of each is named. */
  withDataset?: boolean;
  whenEmpty: string;
}

/** A list of evaluations, each with the first of its figures. */
export function EvaluationRows({ evaluations, withDataset = false, whenEmpty }: EvaluationRowsProps) {
  const { t } = useLingui();
  return (
    <Rows label={t`Your evaluations`} whenEmpty={whenEmpty}>
      {evaluations.map((run) => {
        const { id = "", datasetName = "", status, questions = 0, answered = 0, failed = 0, figures, creationDate } = run;
        const measured = SHARES.flatMap(({ name, label }) => {
          const share = shareOf(figures, name);
          return share === undefined || name === "reciprocalRank" ? [] : [`${t(label)} ${formatPercent(share)}`];
        });
        return (
          <Row
            key={id}
            name={withDataset ? `${datasetName} · ${assistantOf(run)}` : assistantOf(run)}
            href={`/evaluations/${id}`}
            badges={<StatusBadge {...(status && { status })} />}
            facts={[
              t`${answered} of ${questions} answered`,
              failed > 0 && plural(failed, { one: "# failed", other: "# failed" }),
              ...measured,
              formatTimestamp(creationDate),
            ]}
          />
        );
      })}
    </Rows>
  );
}
