/** What an evaluation measures, in words and numbers. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { EvaluationFiguresJson, EvaluationResultJson, EvaluationResultStatusJson, EvaluationStatusJson } from "@/gen/echomind/public/v1/evaluation_pb";

type Share = "documents" | "reciprocalRank" | "passages" | "facts" | "citations" | "judge";

/** The shares, 0 to 1, of which more is better. */
export const SHARES: readonly { name: Share; label: MessageDescriptor; hint: MessageDescriptor }[] = [
  { name: "documents", label: msg`Documents found`, hint: msg`Share of the expected documents that were found.` },
  { name: "reciprocalRank", label: msg`Reciprocal rank`, hint: msg`100 % if the first document found is an expected one, 50 % for the second, and so on.` },
  { name: "passages", label: msg`Passages found`, hint: msg`Share of the expected passages that were found.` },
  { name: "facts", label: msg`Facts in answers`, hint: msg`Share of the expected facts that the answers contain.` },
  { name: "citations", label: msg`Supported citations`, hint: msg`Share of the cited sentences that their sources support.` },
  { name: "judge", label: msg`Judge`, hint: msg`What the model that judges thinks of the answers.` },
];

/** The words for a status of an evaluation. */
export const STATUSES: Readonly<Record<EvaluationStatusJson, MessageDescriptor>> = {
  EVALUATION_STATUS_UNSPECIFIED: msg`Unknown`,
  EVALUATION_STATUS_RUNNING: msg`Running`,
  EVALUATION_STATUS_COMPLETED: msg`Completed`,
  EVALUATION_STATUS_CANCELLED: msg`Cancelled`,
  EVALUATION_STATUS_FAILED: msg`Failed`,
};

/** The words for a status of a question. */
export const RESULT_STATUSES: Readonly<Record<EvaluationResultStatusJson, MessageDescriptor>> = {
  EVALUATION_RESULT_STATUS_UNSPECIFIED: msg`Unknown`,
  EVALUATION_RESULT_STATUS_PENDING: msg`Waiting`,
  EVALUATION_RESULT_STATUS_RUNNING: msg`Being answered`,
  EVALUATION_RESULT_STATUS_COMPLETED: msg`Answered`,
  EVALUATION_RESULT_STATUS_FAILED: msg`Failed`,
  EVALUATION_RESULT_STATUS_CANCELLED: msg`Cancelled`,
};

/** A share of the figures; undefined if it was not measured. */
export function shareOf(figures: EvaluationFiguresJson | undefined, name: Share): number | undefined {
  const value = figures?.[name];
  return value === undefined ? undefined : Number(value);
}

const MEASURED = ["documentShare", "passageShare", "factShare", "judgeScore"] as const;

/**
 * The mean of what was measured of a question, 0 to 1; undefined if nothing was.
 *
 * With the result of another evaluation, only of what both have measured: one without a judge is neither better nor worse.
 */
export function meanOf(result: EvaluationResultJson | undefined, other = result): number | undefined {
  const measured = MEASURED.filter((name) => result?.[name] !== undefined && other?.[name] !== undefined).map((name) => Number(result?.[name]));
  return measured.length > 0 ? measured.reduce((sum, share) => sum + share, 0) / measured.length : undefined;
}
