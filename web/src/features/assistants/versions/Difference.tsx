import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { assistantDifferenceQuery } from "@/data/assistants";
import { llmsQuery } from "@/data/llms";
import type { AssistantChangeJson } from "@/gen/echomind/public/v1/assistant_pb";
import { FilterTabs } from "@/ui/filters";
import { QueryView } from "@/ui/QueryView";
import { TextDiff } from "@/ui/TextDiff";
import { nameOf, textOf } from "./fields";
import styles from "./VersionsTab.module.css";

interface DifferenceProps {
  id: number;
  version: number;
  /** The newest version. */
  current: number;
  actions: ReactNode;
}

/** The changes of a version, or its differences from the current assistant. */
export function Difference({ id, version, current, actions }: DifferenceProps) {
  const { t } = useLingui();
  const [base, setBase] = useState<"before" | "current">(version === 1 ? "current" : "before");
  const isNow = base === "current" && version !== current;
  const { data, error, refetch } = useQuery(
    isNow ? assistantDifferenceQuery(id, version, current) : assistantDifferenceQuery(id, 0, version),
  );
  return (
    <div className={styles.difference}>
      {version !== current && version > 1 && (
        <FilterTabs
          label={t`Comparison`}
          value={base}
          options={[
            { value: "before", label: t`Changes in this version` },
            { value: "current", label: t`Changes since then` },
          ]}
          onChange={setBase}
        />
      )}
      <QueryView error={error} onRetry={refetch} isPending={!data} label={t`Comparing`} />
      {data?.length === 0 && <p className={styles.about}>{t`No differences.`}</p>}
      {data && data.length > 0 && (
        <dl className={styles.fields}>
          {data.map((change) => (
            <Change key={change.field} change={change} />
          ))}
        </dl>
      )}
      <div className={styles.actions}>{actions}</div>
    </div>
  );
}

function Change({ change }: { change: AssistantChangeJson }) {
  const { t, i18n } = useLingui();
  const { data: llms = [] } = useQuery(llmsQuery);
  const models = new Map([[0, t`The default model`], ...llms.map(({ id = 0, name = "" }) => [id, name] as const)]);
  const text = (value: unknown) => textOf(change, value, i18n, models);
  return (
    <div>
      <dt>{nameOf(change.field ?? "", i18n)}</dt>
      <dd>
        {change.isSecret ? (
          <p className={styles.about}>{t`A secret, which is not shown`}</p>
        ) : (
          <TextDiff before={text(change.before)} after={text(change.after)} />
        )}
      </dd>
    </div>
  );
}
