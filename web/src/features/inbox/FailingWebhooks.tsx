import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { serverWords } from "@/api/error-words";
import { hasRole, useCurrentUser } from "@/data/users";
import { webhooksQuery } from "@/data/webhooks";
import type { WebhookJson } from "@/gen/echomind/public/v1/webhook_pb";
import { formatTimestamp } from "@/ui/format";
import styles from "./InboxPage.module.css";

/** The webhooks that the reader manages and that fail, or failed until the server disabled them. */
export function useFailingWebhooks(): readonly WebhookJson[] {
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const { data: own = [] } = useQuery(webhooksQuery(false));
  const { data: everybodys = [] } = useQuery({ ...webhooksQuery(true), enabled: isSuperadmin });
  return [...own, ...everybodys].filter(({ isEnabled, failingSince, disabledReason }) => disabledReason || (isEnabled && failingSince));
}

/** Notices of webhooks that fail, each with a link to its page. */
export function FailingWebhooks({ webhooks }: { webhooks: readonly WebhookJson[] }) {
  const { t } = useLingui();
  if (webhooks.length === 0) return null;
  return (
    <section className={styles.shares} aria-labelledby="inbox-webhooks">
      <h2 id="inbox-webhooks">
        <Trans>Webhooks that fail</Trans>
      </h2>
      <ul className={styles.list} aria-label={t`Webhooks that fail`}>
        {webhooks.map(({ id = 0, url, isInstallation, disabledReason, failingSince }) => (
          <li key={id}>
            <Link href={`/${isInstallation ? "admin" : "settings"}/webhooks/${id}`} className={styles.item}>
              <span className={styles.head}>
                <strong>{url}</strong>
              </span>
              <span className={styles.kind}>
                {disabledReason ? serverWords(disabledReason) : <Trans>It has failed since {formatTimestamp(failingSince)}. After 5 days it is disabled.</Trans>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
