import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { llmsQuery } from "@/data/llms";
import { usageQuery } from "@/data/usage";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { SelectField } from "@/ui/Field";
import { formatNumber } from "@/ui/format";
import { QueryView } from "@/ui/QueryView";
import { costOf } from "./cost";
import { Page } from "@/ui/Page";
import { oneOf, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { Tabs } from "@/ui/Tabs";
import { saveCsv } from "./csv";
import { StackedChart } from "./StackedChart";
import { UsageChart } from "./UsageChart";
import { UsageTable } from "./UsageTable";
import styles from "./UsagePage.module.css";

const TABS = [
  { value: "day", label: msg`By day`, grouping: "USAGE_GROUPING_UNSPECIFIED" },
  { value: "model", label: msg`By model`, grouping: "USAGE_GROUPING_LLM" },
  { value: "day-model", label: msg`By day and model`, grouping: "USAGE_GROUPING_DAY_LLM" },
  { value: "assistant", label: msg`By assistant`, grouping: "USAGE_GROUPING_ASSISTANT" },
  { value: "person", label: msg`By person`, grouping: "USAGE_GROUPING_USER" },
  { value: "kind", label: msg`By kind`, grouping: "USAGE_GROUPING_KIND" },
] as const;
const NO_MODELS: LlmJson[] = [];
const STATE = { by: oneOf(["day", "model", "day-model", "assistant", "person", "kind"], "day"), days: oneOf(["7", "30", "90", "365"], "30") };

/** Usage of questions: tokens, cost and people, by day, model, assistant, person or kind of call. */
export function UsagePage() {
  const { t } = useLingui();
  const [{ by, days }, setState] = useSearchState(STATE);
  const tab = TABS.find(({ value }) => value === by) ?? TABS[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(usageQuery(Number(days), tab.grouping));
  const { data: llms = NO_MODELS } = useQuery({ ...llmsQuery, enabled: by === "model" || by === "day-model" });
  const usage = data?.usage ?? [];
  const total = data?.total ?? {};
  return (
    <Page
      title={t`Usage`}
      section={t`Administration`}
      description={t`Answers, titles, summaries and all other calls of chat models, also of deleted conversations; cost is of models with a known price.`}
      actions={
        <div className={styles.actions}>
          <SelectField
            label={t`Period`}
            value={days}
            options={[
              { value: "7", label: t`7 days` },
              { value: "30", label: t`30 days` },
              { value: "90", label: t`90 days` },
              { value: "365", label: t`365 days` },
            ]}
            onChange={(value) => setState({ days: value as typeof days })}
          />
          <Button disabled={!data} onClick={() => saveCsv(`echomind-usage-${by}-${days}.csv`, usage)}>
            <Download size={16} /> <Trans>CSV</Trans>
          </Button>
        </div>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!data} label={t`Loading usage`} />
      {data && (
        <>
          <dl className={styles.total} aria-label={t`Total`}>
            <Figure name={t`Questions`} value={formatNumber(Number(total.questions ?? 0))} />
            <Figure name={t`Active people`} value={formatNumber(total.activeUsers ?? 0)} />
            <Figure name={t`Tokens`} value={formatNumber(Number(total.promptTokens ?? 0) + Number(total.completionTokens ?? 0))} />
            <Figure name={t`Cost`} value={costOf(total)} />
          </dl>
          <Tabs label={t`Usage by`} tabs={TABS.map(({ value, label }) => ({ value, label: t(label) }))} value={by} onChange={(value) => setState({ by: value })}>
            <div className={styles.figures} aria-busy={isPlaceholderData}>
              {by === "day-model" && isPlaceholderData ? (
                <Spinner label={t`Loading usage`} />
              ) : (
                <>
                  {by === "day-model" ? <StackedChart usage={usage} /> : <UsageChart usage={usage} />}
                  <UsageTable usage={usage} by={by} llms={by === "model" || by === "day-model" ? llms : NO_MODELS} />
                </>
              )}
            </div>
          </Tabs>
        </>
      )}
    </Page>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
