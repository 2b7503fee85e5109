import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { retentionPreviewQuery, useSetRetentionRule } from "@/data/retention";
import type { RetentionRuleJson } from "@/gen/echomind/public/v1/retention_rule_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { formatNumber, formatTimestamp } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { useRetentionName } from "./use-retention-name";

const MAX_DAYS = 36_500;
type Choice = "default" | "forever" | "days";

/** Sets how long data is kept, and shows what would be deleted now. */
export function RetentionDialog({ rule, onClose }: { rule: RetentionRuleJson; onClose: () => void }) {
  const { t } = useLingui();
  const { data = "RETENTION_DATA_UNSPECIFIED", defaultDays = 0 } = rule;
  const { name } = useRetentionName(data);
  const [choice, setChoice] = useState<Choice>(rule.isSet ? (rule.days ? "days" : "forever") : "default");
  const [typed, setTyped] = useState(String(rule.days || 365));
  const number = Number(typed);
  const isValid = choice !== "days" || (Number.isInteger(number) && number >= 1 && number <= MAX_DAYS);
  const days = { default: defaultDays, forever: 0, days: isValid ? number : 0 }[choice];
  const kept = useDeferredValue(days);
  const preview = useQuery({ ...retentionPreviewQuery(data, kept), enabled: kept > 0 });
  const save = useSetRetentionRule();
  const count = kept > 0 ? (preview.data?.count ?? 0) : 0;
  const shown = preview.data?.hasMore ? t`more than ${formatNumber(count)}` : formatNumber(count);
  const oldest = formatTimestamp(preview.data?.oldestAt);
  return (
    <FormDialog
      title={name}
      action={t`Save`}
      isReady={isValid && (kept === 0 || preview.isSuccess)}
      isDangerous={count > 0}
      onSubmit={() => save.mutateAsync(choice === "default" ? { data } : { data, days })}
      onClose={onClose}
    >
      <SelectField
        label={t`Keep`}
        value={choice}
        options={[
          {
            value: "default",
            label: defaultDays ? plural(defaultDays, { one: "Default: # day", other: "Default: # days" }) : t`Default: for ever`,
          },
          { value: "forever", label: t`For ever` },
          { value: "days", label: t`For a number of days` },
        ]}
        onChange={(value) => setChoice(value as Choice)}
      />
      {choice === "days" && (
        <TextField
          label={t`Days`}
          type="number"
          min={1}
          max={MAX_DAYS}
          value={typed}
          hint={isValid ? undefined : t`A whole number from 1 to 36,500.`}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {kept > 0 && preview.error && <Notice tone="danger">{preview.error.message}</Notice>}
      {kept > 0 && preview.isSuccess && (
        <Notice tone={count ? "warn" : "info"}>
          {count ? t`Deleted permanently within the hour: ${shown}. The oldest is of ${oldest}.` : t`Nothing is old enough to be deleted now.`}
        </Notice>
      )}
    </FormDialog>
  );
}
