import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import {
  serviceAccountKeysQuery,
  serviceAccountQuery,
  useCreateServiceAccountKey,
  useDeleteServiceAccount,
  useLimitServiceAccountKey,
  useRevokeServiceAccountKey,
  useRotateServiceAccountKey,
  useSaveServiceAccount,
} from "@/data/service-accounts";
import { CreateKeyDialog } from "@/features/api-keys/CreateKeyDialog";
import { KeyList } from "@/features/api-keys/KeyList";
import type { ServiceAccountJson } from "@/gen/echomind/public/v1/service_account_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { LastChange } from "@/ui/LastChange";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { showFailure } from "@/ui/toasts";
import { AccountState } from "./accounts/AccountState";
import { ServiceAccountDialog } from "./accounts/ServiceAccountDialog";
import { useListAddress } from "./accounts/list-address";
import styles from "./ServiceAccountPage.module.css";

/** A service account: what it has, and its keys. */
export function ServiceAccountPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { href, section, parents } = useListAddress();
  const { data: account, error, refetch } = useQuery(serviceAccountQuery(id));
  const [isCreating, setCreating] = useState(false);
  const create = useCreateServiceAccountKey();
  return (
    <Page
      title={account?.name ?? t`Service account`}
      section={section}
      parents={[...parents, { href, label: t`Service accounts` }]}
      {...(account?.purpose && { description: account.purpose })}
      actions={
        account?.canCreateKeys &&
        account.isActive && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus size={16} /> <Trans>Create key</Trans>
          </Button>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!account} label={t`Loading`} />
      {account && <About account={account} />}
      {account?.canManage && <Keys account={account} />}
      {account && <LastChange item={account} isSentence />}
      {isCreating && (
        <CreateKeyDialog isOfService onCreate={(key) => create.mutateAsync({ ...key, id: Number(id) })} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}

/** What a service account has, and what can be done with it. */
function About({ account }: { account: ServiceAccountJson }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { href } = useListAddress();
  const { id = 0, name = "", isActive = false, canManage = false, canCreateKeys = false, lastUsedAt, creationDate, createdByName } = account;
  const [opened, setOpened] = useState<"edit" | "deactivate" | "delete">();
  const save = useSaveServiceAccount();
  const remove = useDeleteServiceAccount();
  const close = () => setOpened(undefined);
  const groups = (account.groups ?? []).join(", ");
  const created = formatMoment(creationDate);
  return (
    <section className={styles.section} aria-label={t`About the service account`}>
      {canManage && !canCreateKeys && (
        <Notice tone="info">
          {t`A superadmin has given this account a role or a group that you could not give. So only superadmins create and rotate its keys and delete it.`}
        </Notice>
      )}
      <Rows label={t`About the service account`}>
        <Row
          isSentence
          name={t`Belongs to ${account.ownerGroupDisplayName || account.ownerGroup || ""}`}
          badges={<AccountState account={account} />}
          facts={[
            t`Member of ${groups}`,
            lastUsedAt ? t`Last used ${formatMoment(lastUsedAt)}` : t`Never used`,
            createdByName ? t`Created ${created} by ${createdByName}` : t`Created ${created}`,
          ]}
          actions={
            canManage && (
              <>
                <Button size="sm" onClick={() => setOpened("edit")}>
                  <Trans>Edit</Trans>
                </Button>
                {isActive ? (
                  <Button size="sm" onClick={() => setOpened("deactivate")}>
                    <Trans>Deactivate</Trans>
                  </Button>
                ) : (
                  <Button size="sm" disabled={save.isPending} onClick={() => save.mutate({ id, isActive: true }, { onError: showFailure })}>
                    <Trans>Activate</Trans>
                  </Button>
                )}
                {canCreateKeys && (
                  <Button size="sm" onClick={() => setOpened("delete")}>
                    <Trans>Delete</Trans>
                  </Button>
                )}
              </>
            )
          }
        />
      </Rows>
      {opened === "edit" && <ServiceAccountDialog account={account} onClose={close} />}
      {opened === "deactivate" && (
        <ConfirmDialog
          title={t`Deactivate ${name}?`}
          text={t`Its keys stop working permanently, and its runs are cancelled. When it is activated again, it needs new keys.`}
          action={t`Deactivate`}
          onConfirm={() => save.mutateAsync({ id, isActive: false })}
          onClose={close}
        />
      )}
      {opened === "delete" && (
        <ConfirmDialog
          title={t`Delete ${name}?`}
          text={t`Its keys, conversations, memories and private connectors are deleted permanently. Connectors that it shares become yours.`}
          action={t`Delete`}
          name={name}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            navigate(href);
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

/** The keys of a service account. */
function Keys({ account }: { account: ServiceAccountJson }) {
  const { t } = useLingui();
  const { id = 0, canCreateKeys = false } = account;
  const { data: keys, error, refetch } = useQuery(serviceAccountKeysQuery(id));
  const limit = useLimitServiceAccountKey();
  const rotate = useRotateServiceAccountKey();
  const revoke = useRevokeServiceAccountKey();
  return (
    <section className={styles.section} aria-labelledby="keys">
      <h2 id="keys">
        <Trans>API keys</Trans>
      </h2>
      <QueryView error={error} onRetry={refetch} isPending={!keys} label={t`Loading API keys`} />
      {keys && (
        <KeyList
          keys={keys}
          onLimit={(keyId, limits) => limit.mutateAsync({ id, keyId, ...limits })}
          onRotate={canCreateKeys ? (keyId, overlapSeconds) => rotate.mutateAsync({ id, keyId, overlapSeconds }) : undefined}
          onRevoke={(keyId) => revoke.mutateAsync({ id, keyId })}
        />
      )}
    </section>
  );
}
