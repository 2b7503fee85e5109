import { t } from "@lingui/core/macro";
import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";
import { formatCost } from "@/ui/format";

/** The cost of usage in words: models without a known price use tokens and cost nothing that is known. */
export function costOf({ cost, promptTokens, completionTokens }: UsageJson): string {
  const tokens = Number(promptTokens ?? 0) + Number(completionTokens ?? 0);
  return Number(cost ?? 0) === 0 && tokens > 0 ? t`unknown` : formatCost(Number(cost ?? 0));
}
