import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { ApiKeyJson, ApiKeyQuotaJson } from "@/gen/echomind/public/v1/api_key_pb";
import type { SetApiKeyQuotasRequestJson } from "@/gen/echomind/public/v1/api_key_service_pb";
import type { QuotaPeriodJson } from "@/gen/echomind/public/v1/quota_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import styles from "./LimitKeyDialog.module.css";

/** The quotas and limits of a key; what is missing has none. */
export type KeyLimits = Omit<SetApiKeyQuotasRequestJson, "id">;

/** The limits of a day or a month, as typed. */
interface Typed {
  questions: string;
  tokens: string;
  cost: string;
}

interface LimitKeyDialogProps {
  apiKey: ApiKeyJson;
  onLimit: (limits: KeyLimits) => Promise<unknown>;
  onClose: () => void;
}

/** Limits how much may be asked with an API key. */
export function LimitKeyDialog({ apiKey, onLimit, onClose }: LimitKeyDialogProps) {
  const { t } = useLingui();
  const [day, setDay] = useState(() => typed(apiKey, "QUOTA_PERIOD_DAY"));
  const [month, setMonth] = useState(() => typed(apiKey, "QUOTA_PERIOD_MONTH"));
  const [requests, setRequests] = useState(shown(apiKey.maxRequestsPerMinute));
  const [runs, setRuns] = useState(shown(apiKey.maxConcurrentRuns));
  const [streams, setStreams] = useState(shown(apiKey.maxConcurrentStreams));
  const submit = () =>
    onLimit({
      quotas: [...quota("QUOTA_PERIOD_DAY", day), ...quota("QUOTA_PERIOD_MONTH", month)],
      maxRequestsPerMinute: Number(requests),
      maxConcurrentRuns: Number(runs),
      maxConcurrentStreams: Number(streams),
    });
  return (
    <FormDialog title={t`Limit “${apiKey.name ?? ""}”`} action={t`Save`} isReady onSubmit={submit} onClose={onClose}>
      <p>
        <Trans>An empty field does not limit. Keys that were created with this key count together with it.</Trans>
      </p>
      <PeriodFields title={t`Each day`} value={day} onChange={setDay} />
      <PeriodFields title={t`Each month`} value={month} onChange={setMonth} />
      <fieldset className={styles.fields}>
        <legend>
          <Trans>At a time</Trans>
        </legend>
        <LimitField label={t`Requests a minute`} value={requests} onChange={setRequests} />
        <LimitField label={t`Unfinished questions`} value={runs} onChange={setRuns} />
        <LimitField label={t`Open streams`} value={streams} onChange={setStreams} />
      </fieldset>
    </FormDialog>
  );
}

function PeriodFields({ title, value, onChange }: { title: string; value: Typed; onChange: (value: Typed) => void }) {
  const { t } = useLingui();
  return (
    <fieldset className={styles.fields}>
      <legend>{title}</legend>
      <LimitField label={t`Questions`} value={value.questions} onChange={(questions) => onChange({ ...value, questions })} />
      <LimitField label={t`Tokens`} value={value.tokens} onChange={(tokens) => onChange({ ...value, tokens })} />
      <LimitField label={t`Cost in US dollars`} step="any" value={value.cost} onChange={(cost) => onChange({ ...value, cost })} />
    </fieldset>
  );
}

function LimitField({ label, value, step = 1, onChange }: { label: string; value: string; step?: number | "any"; onChange: (value: string) => void }) {
  return <TextField label={label} type="number" min={0} step={step} value={value} onChange={(event) => onChange(event.target.value)} />;
}

function typed({ quotas = [] }: ApiKeyJson, period: QuotaPeriodJson): Typed {
  const found = quotas.find((each) => each.period === period);
  return { questions: shown(found?.maxQuestions), tokens: shown(found?.maxTokens), cost: shown(found?.maxCost) };
}

function shown(limit: string | number | undefined): string {
  return limit && limit !== "0" ? String(limit) : "";
}

function quota(period: QuotaPeriodJson, { questions, tokens, cost }: Typed): ApiKeyQuotaJson[] {
  const isLimited = [questions, tokens, cost].some((value) => Number(value) > 0);
  return isLimited ? [{ period, maxQuestions: questions || "0", maxTokens: tokens || "0", maxCost: Number(cost) }] : [];
}
