import { useLingui } from "@lingui/react/macro";
import type { ApiKeyJson } from "@/gen/echomind/public/v1/api_key_pb";
import { formatCost, formatNumber, formatTimestamp } from "@/ui/format";

/** Returns what is used of the quotas of a key and when they renew, and its other limits, for display. */
export function useQuotaFacts() {
  const { t } = useLingui();
  return ({ quotas = [], maxRequestsPerMinute = 0, maxConcurrentRuns = 0, maxConcurrentStreams = 0 }: ApiKeyJson): string[] => [
    ...quotas.flatMap(({ period, questions, maxQuestions, tokens, maxTokens, cost, maxCost, renewsAt }) => {
      const uses = [
        Number(maxQuestions) > 0 && t`${formatNumber(Number(questions ?? 0))} of ${formatNumber(Number(maxQuestions))} questions`,
        Number(maxTokens) > 0 && t`${formatNumber(Number(tokens ?? 0))} of ${formatNumber(Number(maxTokens))} tokens`,
        Number(maxCost) > 0 && t`${formatCost(Number(cost ?? 0))} of ${formatCost(Number(maxCost))}`,
      ];
      const used = uses.filter(Boolean).join(", ");
      const renewal = formatTimestamp(renewsAt);
      return period === "QUOTA_PERIOD_DAY" ? t`Today ${used}, renews ${renewal}` : t`This month ${used}, renews ${renewal}`;
    }),
    ...(maxRequestsPerMinute ? [t`At most ${formatNumber(maxRequestsPerMinute)} requests a minute`] : []),
    ...(maxConcurrentRuns ? [t`At most ${formatNumber(maxConcurrentRuns)} questions at a time`] : []),
    ...(maxConcurrentStreams ? [t`At most ${formatNumber(maxConcurrentStreams)} streams at a time`] : []),
  ];
}
