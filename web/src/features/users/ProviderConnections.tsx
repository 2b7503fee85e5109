import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link2 } from "lucide-react";
import { providerConnectionsQuery, useConnectProvider } from "@/data/provider-connections";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import styles from "./AccountPage.module.css";

/** The providers that the reader can sign in at, and those that can be connected; nothing without any. */
export function ProviderConnections() {
  const { t } = useLingui();
  const { data: connections = [] } = useQuery(providerConnectionsQuery);
  const connect = useConnectProvider();
  if (connections.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby="providers">
      <h2 id="providers">
        <Trans>Single sign-on</Trans>
      </h2>
      <p className={styles.text}>
        <Trans>Connect your account to sign in to it there, too. Your name, groups and role may then come from there.</Trans>
      </p>
      <ul className={styles.accounts} aria-label={t`Single sign-on`}>
        {connections.map(({ name, title, isConnected }) => (
          <li key={name}>
            <p>
              <strong>{title}</strong>
              {isConnected && <span>{t`Connected`}</span>}
            </p>
            {!isConnected && (
              <Button size="sm" aria-label={t`Connect ${title}`} disabled={connect.isPending} onClick={() => connect.mutate(name)}>
                <Link2 size={14} aria-hidden /> <Trans>Connect</Trans>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {connect.error && <Notice tone="danger">{connect.error.message}</Notice>}
    </section>
  );
}
