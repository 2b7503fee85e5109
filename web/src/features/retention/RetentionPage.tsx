import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { retentionRulesQuery } from "@/data/retention";
import type { RetentionRuleJson } from "@/gen/echomind/public/v1/retention_rule_pb";
import { IconButton } from "@/ui/Button";
import { formatMoment } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { RetentionDialog } from "./RetentionDialog";
import { useRetentionName } from "./use-retention-name";

/** Rules for what is deleted because of its age. */
export function RetentionPage() {
  const { t } = useLingui();
  const { data: rules, error, refetch } = useQuery(retentionRulesQuery);
  return (
    <Page
      title={t`Retention`}
      section={t`Administration`}
      description={t`How long data is kept. What is older is deleted permanently in the background, and cannot be restored.`}
    >
      <QueryView error={error} onRetry={refetch} isPending={!rules} label={t`Loading`} />
      {rules && (
        <Rows label={t`Retention`}>
          {rules.map((rule) => (
            <RuleRow key={rule.data} rule={rule} />
          ))}
        </Rows>
      )}
    </Page>
  );
}

function RuleRow({ rule }: { rule: RetentionRuleJson }) {
  const { t } = useLingui();
  const { name, detail } = useRetentionName(rule.data);
  const [isEditing, setEditing] = useState(false);
  const { days = 0, setAt, setByName } = rule;
  return (
    <Row
      name={name}
      facts={[
        days ? plural(days, { one: "Kept for # day", other: "Kept for # days" }) : t`Kept for ever`,
        !rule.isSet && t`Default`,
        rule.isSet && (setByName ? t`Set by ${setByName}, ${formatMoment(setAt)}` : t`Set ${formatMoment(setAt)}`),
        detail,
      ]}
      actions={
        <IconButton label={t`Edit: ${name}`} onClick={() => setEditing(true)}>
          <Pencil size={16} />
        </IconButton>
      }
    >
      {isEditing && <RetentionDialog rule={rule} onClose={() => setEditing(false)} />}
    </Row>
  );
}
