import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { quotaUsageQuery } from "@/data/quotas";
import type { QuotaUsageJson } from "@/gen/echomind/public/v1/quota_pb";
import { formatCost, formatNumber, formatTimestamp } from "@/ui/format";
import styles from "./OwnQuotas.module.css";

/** What is used of the limits that bind the reader; nothing where none does. */
export function OwnQuotas({ title }: { title: string }) {
  const { t } = useLingui();
  const { data } = useQuery(quotaUsageQuery());
  const usage = data?.usage ?? [];
  if (usage.length === 0) return null;
  return (
    <section className={styles.quotas} aria-labelledby="quotas">
      <h2 id="quotas">{title}</h2>
      {usage.map((each) => (
        <div key={`${each.scope} ${each.groupId ?? 0} ${each.period}`} className={styles.quota}>
          <h3>
            <Whose {...each} />
          </h3>
          <Used name={t`Questions`} used={Number(each.questions ?? 0)} maximum={Number(each.maxQuestions ?? 0)} format={formatNumber} />
          <Used name={t`Tokens`} used={Number(each.tokens ?? 0)} maximum={Number(each.maxTokens ?? 0)} format={formatNumber} />
          <Used name={t`Cost`} used={Number(each.cost ?? 0)} maximum={Number(each.maxCost ?? 0)} format={formatCost} />
          <Used name={t`Requests this minute`} used={each.requests ?? 0} maximum={each.maxRequestsPerMinute ?? 0} format={formatNumber} />
          <Used name={t`Unfinished questions`} used={each.concurrentRuns ?? 0} maximum={each.maxConcurrentRuns ?? 0} format={formatNumber} />
          <Used name={t`Open streams`} used={each.concurrentStreams ?? 0} maximum={each.maxConcurrentStreams ?? 0} format={formatNumber} />
          {each.period !== "QUOTA_PERIOD_MINUTE" && <p>{t`Renews ${formatTimestamp(each.renewsAt)}`}</p>}
        </div>
      ))}
    </section>
  );
}

function Used({ name, used, maximum, format }: { name: string; used: number; maximum: number; format: (value: number) => string }) {
  const { t } = useLingui();
  if (maximum === 0) return null;
  const text = t`${format(used)} of ${format(maximum)}`;
  return (
    <div className={styles.used}>
      <span>{name}</span>
      <meter aria-label={`${name}: ${text}`} min={0} max={maximum} low={0.8 * maximum} high={0.95 * maximum} optimum={0} value={Math.min(used, maximum)} />
      <span>{text}</span>
    </div>
  );
}

function Whose({ scope, groupName, period }: QuotaUsageJson) {
  const { t } = useLingui();
  if (period === "QUOTA_PERIOD_MINUTE") {
    if (scope === "QUOTA_SCOPE_GROUP") return t`${groupName} together, at the moment`;
    return scope === "QUOTA_SCOPE_ORGANIZATION" ? t`Everybody together, at the moment` : t`You, at the moment`;
  }
  const isMonth = period === "QUOTA_PERIOD_MONTH";
  if (scope === "QUOTA_SCOPE_GROUP") return isMonth ? t`${groupName} together, this month` : t`${groupName} together, today`;
  if (scope === "QUOTA_SCOPE_ORGANIZATION") return isMonth ? t`Everybody together, this month` : t`Everybody together, today`;
  return isMonth ? t`You, this month` : t`You, today`;
}
