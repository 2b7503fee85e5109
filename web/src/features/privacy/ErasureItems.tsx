import { useLingui } from "@lingui/react/macro";
import { serverWords } from "@/api/error-words";
import type { ErasureItemJson, ErasureRuleJson } from "@/gen/echomind/public/v1/erasure_pb";
import { formatNumber } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";

/** What became of a person's data, a line for each store. */
export function ErasureItems({ items }: { items: readonly ErasureItemJson[] }) {
  const { t } = useLingui();
  const rules: ByMember<ErasureRuleJson, string> = {
    ERASURE_RULE_DELETE: t`deleted`,
    ERASURE_RULE_HAND_OVER: t`handed over`,
    ERASURE_RULE_ANONYMIZE: t`anonymized`,
    ERASURE_RULE_KEEP: t`kept`,
  };
  return (
    <ul>
      {items.map(({ store = "", rule = "ERASURE_RULE_UNSPECIFIED", count, reason = "" }) => (
        <li key={`${store}-${rule}`}>
          <code>{store}</code>: {formatNumber(Number(count ?? 0))} {ofMember(rules, rule)} ({serverWords(reason)})
        </li>
      ))}
    </ul>
  );
}
