import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { groupsQuery } from "@/data/groups";
import { serviceAccountsQuery } from "@/data/service-accounts";
import { Button } from "@/ui/Button";
import { formatMoment } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { AccountState } from "./accounts/AccountState";
import { ServiceAccountDialog } from "./accounts/ServiceAccountDialog";
import { useListAddress } from "./accounts/list-address";

/** The service accounts: all for admins, otherwise those of the groups that the reader is an admin of. */
export function ServiceAccountsPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { href, section, parents } = useListAddress();
  const { data: accounts, error, refetch } = useQuery(serviceAccountsQuery);
  const { data: groups } = useQuery(groupsQuery);
  const canCreate = groups?.some(({ canManage }) => canManage) ?? false;
  const whenNobodyCreates =
    groups?.length === 0
      ? t`There is no group yet, and each service account belongs to one. Create a group first.`
      : t`There is no service account that you see. Admins of a group see those of their group.`;
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t`Service accounts`}
      section={section}
      parents={parents}
      description={t`Accounts for programs. Each belongs to a group, whose admins manage it, and stays when people leave.`}
      actions={
        canCreate && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus size={16} /> <Trans>New service account</Trans>
          </Button>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!accounts} label={t`Loading`} />
      {accounts && (
        <Rows
          label={t`Service accounts`}
          whenEmpty={
            canCreate
              ? t`There is no service account yet. Create one for a program that works for a group.`
              : whenNobodyCreates
          }
        >
          {accounts.map((account) => {
            const { id = 0, name = "", purpose, keyCount = 0, lastUsedAt } = account;
            const owner = account.ownerGroupDisplayName || account.ownerGroup || "";
            return (
              <Row
                key={id}
                name={name}
                href={`${href}/${id}`}
                badges={<AccountState account={account} />}
                facts={[
                  t`Belongs to ${owner}`,
                  purpose,
                  plural(keyCount, { one: "# key", other: "# keys" }),
                  lastUsedAt ? t`Last used ${formatMoment(lastUsedAt)}` : t`Never used`,
                ]}
              />
            );
          })}
        </Rows>
      )}
      {isCreating && <ServiceAccountDialog onSaved={({ id = 0 }) => navigate(`${href}/${id}`)} onClose={() => setCreating(false)} />}
    </Page>
  );
}
