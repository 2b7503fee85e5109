import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { countOf, countsByStatusQuery } from "@/data/connector-counts";
import { useDeleteCollection, useUpdateCollection } from "@/data/collections";
import { connectorsQuery, mayManage, useReaders } from "@/data/connectors";
import { connectorTypesQuery, isSynced } from "@/data/sources";
import { hasRole, useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { formatNumber, formatTimestamp } from "@/ui/format";
import { LastChange } from "@/ui/LastChange";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { CollectionDialog } from "./connector/CollectionDialog";
import { ConnectorStatus } from "./connector/ConnectorStatus";
import { typeLabel } from "./connector/labels";
import { useModes } from "./source/choices";
import { FailuresButton } from "./source/FailuresButton";
import { SignInButton } from "./source/SignInButton";
import { SourceForm } from "./source/SourceForm";
import { SyncPanel } from "./source/SyncPanel";
import styles from "./ConnectorPage.module.css";

/** A connector: its visibility, the status of its documents, and its actions. */
export function ConnectorPage({ id }: { id: string }) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const [, navigate] = useLocation();
  const { data: connectors, error, refetch } = useQuery(connectorsQuery);
  const connector = connectors?.find((one) => String(one.id) === id);
  const { data: counts } = useQuery(countsByStatusQuery(Number(id)));
  const user = useCurrentUser();
  const update = useUpdateCollection(Number(id));
  const deletion = useDeleteCollection(Number(id));
  const [dialog, setDialog] = useState<"edit" | "delete">();
  const name = connector?.name ?? "";
  const failed = countOf(counts, "DOCUMENT_STATUS_FAILED");
  const total = (counts ?? []).reduce((sum, { documents = "0" }) => sum + Number(documents), 0);
  const { data: types } = useQuery(connectorTypesQuery);
  const type = types?.find((one) => one.name === connector?.typeName);
  const modes = useModes(type?.permissionModes ?? []);
  const mode = modes.find(({ value }) => value === connector?.permissionMode);
  const decidesItself = connector?.permissionMode === "PERMISSION_MODE_SOURCE";
  const close = () => setDialog(undefined);
  return (
    <Page
      title={connector ? name : t`Connector`}
      parents={[{ href: "/sources", label: t`Connectors` }]}
      actions={
        mayManage(user, connector) && (
          <div className={styles.actions}>
            {type?.signIn && type.signInConfigured && connector && (
              <SignInButton id={connector.id ?? 0} account={connector.connectedAccount ?? ""} />
            )}
            <Button onClick={() => setDialog("edit")}>
              {connector && isSynced(connector) ? t`Settings` : t`Rename or share`}
            </Button>
            <Button variant="ghost" onClick={() => setDialog("delete")}>
              <Trans>Delete</Trans>
            </Button>
          </div>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!connectors} label={t`Loading the connector`} />
      {connectors && !connector && <Notice tone="warn">{t`This connector does not exist, or you do not have access to it.`}</Notice>}
      {connector && (
        <>
          {connector.statusMessage && (
            <Notice
              tone={connector.status === "CONNECTOR_STATUS_ERROR" ? "danger" : "warn"}
              actions={mayManage(user, connector) && (connector.sync?.failures ?? 0) > 0 && <FailuresButton sync={connector.sync ?? {}} />}
            >
              {serverWords(connector.statusMessage)}
            </Notice>
          )}
          {failed > 0 && (
            <Notice
              tone="warn"
              actions={
                <Link href={`/documents?source=${id}&status=failed`}>
                  <Trans>Show them</Trans>
                </Link>
              }
            >
              {plural(failed, {
                one: "# document could not be read. The list says why, and has Retry.",
                other: "# documents could not be read. The list says why, and has Retry.",
              })}
            </Notice>
          )}
          <dl className={styles.facts}>
            <dt>{t`Kind`}</dt>
            <dd>
              {connector.type === "CONNECTOR_TYPE_UNSPECIFIED" ? connector.typeName : t(typeLabel(connector.type))} <ConnectorStatus connector={connector} />
            </dd>
            <dt>{t`Visible to`}</dt>
            <dd>{readersOf(connector)}</dd>
            {isSynced(connector) && modes.length > 1 && (
              <>
                <dt>{t`Permissions`}</dt>
                <dd>
                  {mode?.label}
                  {decidesItself && hasRole(user, "ROLE_SUPERADMIN") && (
                    <>
                      {" "}
                      <Link href={`/sources/${id}/people`}>
                        <Trans>People and groups</Trans>
                      </Link>
                    </>
                  )}
                </dd>
              </>
            )}
            {connector.connectedAccount && (
              <>
                <dt>{t`Connected with`}</dt>
                <dd>{connector.signedInByName ? t`${connector.connectedAccount}, by ${connector.signedInByName}` : connector.connectedAccount}</dd>
              </>
            )}
            <dt>{t`Documents`}</dt>
            <dd>
              <Link href={`/documents?source=${id}`}>{formatNumber(total)}</Link>
            </dd>
            <dt>{t`Ready`}</dt>
            <dd>{formatNumber(countOf(counts, "DOCUMENT_STATUS_COMPLETED"))}</dd>
            <dt>{t`Failed`}</dt>
            <dd>{formatNumber(failed)}</dd>
            {connector.lastSyncAt && (
              <>
                <dt>{t`Last sync`}</dt>
                <dd>{formatTimestamp(connector.lastSyncAt)}</dd>
              </>
            )}
            <dt>{t`Added`}</dt>
            <dd>{formatTimestamp(connector.creationDate)}</dd>
            {connector.updatedByName && (
              <>
                <dt>{t`Changed`}</dt>
                <dd>
                  <LastChange item={connector} />
                </dd>
              </>
            )}
          </dl>
          {isSynced(connector) && <SyncPanel connector={connector} mayManage={mayManage(user, connector)} />}
          {!isSynced(connector) && (
            <p className={styles.hint}>
              <Trans>
                Keep a folder in it up to date with <code>echomind ingest FOLDER --connector "{name}"</code>: it sends only what
                has changed.
              </Trans>
            </p>
          )}
        </>
      )}
      {dialog === "edit" && connector && isSynced(connector) && type && (
        <Dialog title={t`Change the connector`} isWide onClose={close}>
          <SourceForm type={type} source={connector} onSaved={close} />
        </Dialog>
      )}
      {dialog === "edit" && connector && !isSynced(connector) && <CollectionDialog connector={connector} onSave={(values) => update.mutateAsync(values)} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Delete ${name}?`}
          text={plural(total, {
            0: "It has no documents.",
            one: "Its document is removed for everyone. Answers keep the passages that they cite.",
            other: "Its # documents are removed for everyone. Answers keep the passages that they cite.",
          })}
          action={t`Delete`}
          name={name}
          onConfirm={async () => {
            await deletion.mutateAsync();
            navigate("/sources");
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}
