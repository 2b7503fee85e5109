import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { datasetsQuery, evaluationsQuery } from "@/data/evaluation";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { DatasetDialog } from "./parts/DatasetDialog";
import { EvaluationRows } from "./parts/EvaluationRows";
import styles from "./evaluation.module.css";

/** The datasets that the user may evaluate with, and their evaluations. */
export function EvaluationsPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const datasets = useQuery(datasetsQuery);
  const evaluations = useQuery(evaluationsQuery("0"));
  const [isCreating, setCreating] = useState(false);
  const error = datasets.error ?? evaluations.error;
  return (
    <Page
      title={t`Evaluations`}
      section={t`Build`}
      description={t`Ask an assistant the questions of a dataset, and measure whether it finds the right documents and answers right.`}
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus size={16} /> <Trans>New dataset</Trans>
        </Button>
      }
    >
      <QueryView error={error} onRetry={() => Promise.all([datasets.refetch(), evaluations.refetch()])} isPending={datasets.isPending || evaluations.isPending} label={t`Loading`} />
      {datasets.data && (
        <>
          <h2 className={styles.heading}>{t`Datasets`}</h2>
          <Rows label={t`Datasets`} whenEmpty={t`There is no dataset yet. Create one, or add the rated answers of a conversation by its menu.`}>
            {datasets.data.map(({ id = "", name = "", description, cases = 0, isShared, groups = [], isEditable, userName = "" }) => (
              <Row
                key={id}
                name={name}
                href={`/evaluations/datasets/${id}`}
                badges={isShared && <Badge tone="neutral">{groups.length > 0 ? groups.join(", ") : t`Shared`}</Badge>}
                facts={[plural(cases, { one: "# question", other: "# questions" }), !isEditable && t`of ${userName}`, description]}
              />
            ))}
          </Rows>
        </>
      )}
      {evaluations.data && (
        <>
          <h2 className={styles.heading}>{t`Your evaluations`}</h2>
          <EvaluationRows evaluations={evaluations.data} withDataset whenEmpty={t`No evaluation yet: open a dataset to start one.`} />
        </>
      )}
      {isCreating && <DatasetDialog onSaved={({ id = "" }) => navigate(`/evaluations/datasets/${id}`)} onClose={() => setCreating(false)} />}
    </Page>
  );
}
