import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { webhooksQuery } from "@/data/webhooks";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { eventName } from "./parts/events";
import { WebhookDialog } from "./parts/WebhookDialog";
import { WebhookState } from "./parts/WebhookState";

/** The reader's own webhooks. */
export function OwnWebhooksPage() {
  return <WebhooksPage isInstallation={false} />;
}

/** The webhooks of the installation. */
export function InstallationWebhooksPage() {
  return <WebhooksPage isInstallation />;
}

function WebhooksPage({ isInstallation }: { isInstallation: boolean }) {
  const { t } = useLingui();
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(isInstallation));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t`Webhooks`}
      section={isInstallation ? t`Administration` : t`Settings`}
      description={
        isInstallation
          ? t`Addresses to which events of everybody's runs, documents and syncs and of the audit log are sent: ids and statuses, by signed requests.`
          : t`Addresses to which events of your runs and of documents and syncs of your connectors are sent: ids and statuses, by signed requests.`
      }
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus size={16} /> <Trans>New webhook</Trans>
        </Button>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!webhooks} label={t`Loading`} />
      {webhooks && (
        <Rows label={t`Webhooks`} whenEmpty={t`There are no webhooks.`}>
          {webhooks.map((webhook) => (
            <Row
              key={webhook.id}
              name={webhook.url ?? ""}
              href={`/${isInstallation ? "admin" : "settings"}/webhooks/${webhook.id ?? 0}`}
              badges={<WebhookState webhook={webhook} />}
              facts={[webhook.description, (webhook.eventTypes ?? []).map((type) => t(eventName(type))).join(", ")]}
            />
          ))}
        </Rows>
      )}
      {isCreating && <WebhookDialog isInstallation={isInstallation} onClose={() => setCreating(false)} />}
    </Page>
  );
}
