import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groupName, groupsQuery } from "@/data/groups";
import { useSaveQuota } from "@/data/quotas";
import { usersQuery } from "@/data/users";
import type { QuotaJson, QuotaPeriodJson, QuotaScopeJson } from "@/gen/echomind/public/v1/quota_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { useQuotaName } from "./use-quota-name";

/** Adds a quota, or changes the limits of one. */
export function QuotaDialog({ quota, onClose }: { quota?: QuotaJson; onClose: () => void }) {
  const { t } = useLingui();
  const name = useQuotaName(quota ?? {});
  const [scope, setScope] = useState<QuotaScopeJson>("QUOTA_SCOPE_ORGANIZATION");
  const [period, setPeriod] = useState<QuotaPeriodJson>("QUOTA_PERIOD_MONTH");
  const [groupId, setGroupId] = useState("0");
  const [userId, setUserId] = useState("0");
  const [questions, setQuestions] = useState(shown(quota?.maxQuestions));
  const [tokens, setTokens] = useState(shown(quota?.maxTokens));
  const [cost, setCost] = useState(shown(quota?.maxCost));
  const [requests, setRequests] = useState(shown(quota?.maxRequestsPerMinute));
  const [runs, setRuns] = useState(shown(quota?.maxConcurrentRuns));
  const [streams, setStreams] = useState(shown(quota?.maxConcurrentStreams));
  const isAtATime = (quota?.period ?? period) === "QUOTA_PERIOD_MINUTE";
  const ofGroup = !quota && (scope === "QUOTA_SCOPE_GROUP" || scope === "QUOTA_SCOPE_MEMBER");
  const ofUser = !quota && scope === "QUOTA_SCOPE_USER";
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: ofGroup });
  const { data: users = [] } = useQuery({ ...usersQuery, enabled: ofUser });
  const save = useSaveQuota();
  const limits = isAtATime
    ? { maxRequestsPerMinute: Number(requests), maxConcurrentRuns: Number(runs), maxConcurrentStreams: Number(streams) }
    : { maxQuestions: questions || "0", maxTokens: tokens || "0", maxCost: Number(cost || 0) };
  const isLimited = Object.values(limits).some((value) => Number(value) > 0);
  const isNamed = (scope !== "QUOTA_SCOPE_GROUP" || groupId !== "0") && (!ofUser || userId !== "0");
  const submit = () =>
    save.mutateAsync(
      quota
        ? { id: quota.id ?? 0, ...limits }
        : { scope, period, ...(ofGroup && { groupId: Number(groupId) }), ...(ofUser && { userId: Number(userId) }), ...limits },
    );
  return (
    <FormDialog
      title={quota ? t`Limits: ${name}` : t`New quota`}
      action={quota ? t`Save` : t`Create`}
      isReady={isLimited && isNamed}
      onSubmit={submit}
      onClose={onClose}
    >
      {!quota && (
        <>
          <SelectField
            label={t`For`}
            value={scope}
            options={[
              { value: "QUOTA_SCOPE_ORGANIZATION", label: t`Everybody together` },
              { value: "QUOTA_SCOPE_GROUP", label: t`A group together` },
              { value: "QUOTA_SCOPE_MEMBER", label: t`Each person` },
              { value: "QUOTA_SCOPE_USER", label: t`One person` },
            ]}
            onChange={(value) => setScope(value as QuotaScopeJson)}
          />
          {ofGroup && (
            <SelectField
              label={t`Group`}
              value={groupId}
              options={[
                { value: "0", label: scope === "QUOTA_SCOPE_GROUP" ? t`Choose a group` : t`All people` },
                ...groups.map((group) => ({ value: String(group.id), label: groupName(group) })),
              ]}
              onChange={setGroupId}
            />
          )}
          {ofUser && (
            <SelectField
              label={t`Person`}
              value={userId}
              options={[{ value: "0", label: t`Choose a person` }, ...users.map(({ id, userName = "" }) => ({ value: String(id), label: userName }))]}
              onChange={setUserId}
            />
          )}
          <SelectField
            label={t`Each`}
            value={period}
            options={[
              { value: "QUOTA_PERIOD_DAY", label: t`Day` },
              { value: "QUOTA_PERIOD_MONTH", label: t`Month` },
              { value: "QUOTA_PERIOD_MINUTE", label: t`At a time` },
            ]}
            onChange={(value) => setPeriod(value as QuotaPeriodJson)}
          />
        </>
      )}
      {isAtATime ? (
        <>
          <LimitField label={t`Requests a minute (optional)`} hint={t`Of any kind, also those that this page sends.`} value={requests} onChange={setRequests} />
          <LimitField label={t`Unfinished questions (optional)`} hint={t`Further ones are refused.`} value={runs} onChange={setRuns} />
          <LimitField label={t`Open streams (optional)`} hint={t`Each open page has one, and each answer one while it is written.`} value={streams} onChange={setStreams} />
        </>
      ) : (
        <>
          <LimitField label={t`Questions (optional)`} value={questions} onChange={setQuestions} />
          <LimitField label={t`Tokens (optional)`} hint={t`Of prompts and answers.`} value={tokens} onChange={setTokens} />
          <LimitField label={t`Cost in US dollars (optional)`} step="any" hint={t`Of models with a known price.`} value={cost} onChange={setCost} />
        </>
      )}
    </FormDialog>
  );
}

interface LimitFieldProps {
  label: string;
  hint?: string;
  value: string;
  step?: number | "any";
  onChange: (value: string) => void;
}

function LimitField({ step = 1, onChange, ...field }: LimitFieldProps) {
  return <TextField {...field} type="number" min={0} step={step} onChange={(event) => onChange(event.target.value)} />;
}

function shown(limit: string | number | undefined): string {
  return limit && limit !== "0" ? String(limit) : "";
}
