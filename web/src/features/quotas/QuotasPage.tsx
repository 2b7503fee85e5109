import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { quotasQuery, useDeleteQuota } from "@/data/quotas";
import { hasRole, useCurrentUser } from "@/data/users";
import type { QuotaJson } from "@/gen/echomind/public/v1/quota_pb";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatCost, formatNumber } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { QuotaDialog } from "./parts/QuotaDialog";
import { useQuotaName } from "./parts/use-quota-name";

/** Limits of questions, tokens and cost for each day or month, and of what is done at a time. */
export function QuotasPage() {
  const { t } = useLingui();
  const found = useInfiniteQuery(quotasQuery);
  const quotas = found.data?.pages.flatMap((page) => page.quotas ?? []);
  const isManaged = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={t`Quotas`}
      section={t`Administration`}
      description={t`Limits of questions, tokens and cost for each day or month, in UTC, and of what is done at a time. Everyone sees their own under Settings, Account.`}
      actions={
        isManaged && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            <Plus size={16} /> <Trans>New quota</Trans>
          </Button>
        )
      }
    >
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!quotas} label={t`Loading`} />
      {quotas && (
        <Rows label={t`Quotas`} whenEmpty={t`There are no quotas: everyone may ask as much as they want.`}>
          {quotas.map((quota) => (
            <QuotaRow key={quota.id} quota={quota} isManaged={isManaged} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
      {isAdding && <QuotaDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function QuotaRow({ quota, isManaged }: { quota: QuotaJson; isManaged: boolean }) {
  const { t } = useLingui();
  const name = useQuotaName(quota);
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const remove = useDeleteQuota();
  const questions = Number(quota.maxQuestions ?? 0);
  const tokens = Number(quota.maxTokens ?? 0);
  const { maxRequestsPerMinute: requests = 0, maxConcurrentRuns: runs = 0, maxConcurrentStreams: streams = 0 } = quota;
  return (
    <Row
      name={name}
      facts={[
        quota.period === "QUOTA_PERIOD_MONTH" ? t`Each month` : quota.period === "QUOTA_PERIOD_DAY" ? t`Each day` : t`At a time`,
        questions > 0 && plural(questions, { one: "# question", other: "# questions" }),
        tokens > 0 && t`${formatNumber(tokens)} tokens`,
        Boolean(quota.maxCost) && formatCost(quota.maxCost as number),
        requests > 0 && t`${formatNumber(requests)} requests a minute`,
        runs > 0 && plural(runs, { one: "# unfinished question", other: "# unfinished questions" }),
        streams > 0 && plural(streams, { one: "# open stream", other: "# open streams" }),
      ]}
      actions={
        isManaged && (
          <>
            <IconButton label={t`Edit: ${name}`} onClick={() => setEditing(true)}>
              <Pencil size={16} />
            </IconButton>
            <IconButton label={t`Remove: ${name}`} onClick={() => setRemoving(true)}>
              <Trash2 size={16} />
            </IconButton>
          </>
        )
      }
    >
      {isEditing && <QuotaDialog quota={quota} onClose={() => setEditing(false)} />}
      {isRemoving && (
        <ConfirmDialog
          title={t`Remove this quota?`}
          text={t`${name}: the limit no longer holds.`}
          action={t`Remove`}
          onConfirm={() => remove.mutateAsync(quota.id ?? 0)}
          onClose={() => setRemoving(false)}
        />
      )}
    </Row>
  );
}
