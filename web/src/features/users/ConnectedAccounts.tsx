import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { connectedAccountsQuery, useDisconnectAccount } from "@/data/connected-accounts";
import { readersOf } from "@/data/connectors";
import type { ConnectedAccountJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { showToast } from "@/ui/toasts";
import styles from "./AccountPage.module.css";

/** The reader's accounts at other programs that connectors read with; nothing without any. */
export function ConnectedAccounts() {
  const { t } = useLingui();
  const { data: accounts = [] } = useQuery(connectedAccountsQuery);
  const [leaving, setLeaving] = useState<ConnectedAccountJson>();
  const disconnect = useDisconnectAccount();
  if (accounts.length === 0) return null;
  const end = async ({ id = 0, account = "", provider = "" }: ConnectedAccountJson) => {
    const { isRevoked, accessUrl = "" } = await disconnect.mutateAsync(id);
    const left = accessUrl ? t`${account} is disconnected. You see and end EchoMind's access to it at ${accessUrl}.` : t`${account} is disconnected.`;
    showToast({ message: isRevoked ? t`${account} is disconnected, and ${provider} has ended EchoMind's access to it.` : left });
  };
  return (
    <section className={styles.section} aria-labelledby="connected">
      <h2 id="connected">
        <Trans>Connected accounts</Trans>
      </h2>
      <p className={styles.text}>
        <Trans>These connectors read what your account there may read, and show it to whom they are visible to.</Trans>
      </p>
      <ul className={styles.accounts} aria-label={t`Connected accounts`}>
        {accounts.map((each) => (
          <li key={each.id}>
            <p>
              <strong>{[each.provider, each.account].filter(Boolean).join(": ")}</strong>
              <Link href={`/sources/${each.id ?? 0}`}>{each.connectorName}</Link>
              <span>{readersOf(each.scope, each.scopeId)}</span>
            </p>
            <Button size="sm" aria-label={t`Disconnect ${each.connectorName ?? ""}`} onClick={() => setLeaving(each)}>
              <Unplug size={14} aria-hidden /> <Trans>Disconnect</Trans>
            </Button>
          </li>
        ))}
      </ul>
      {leaving && (
        <ConfirmDialog
          title={t`Disconnect ${leaving.account ?? ""}?`}
          text={t`${leaving.connectorName ?? ""} keeps its documents, and is not synced until somebody signs in again.`}
          action={t`Disconnect`}
          onConfirm={() => end(leaving)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </section>
  );
}
