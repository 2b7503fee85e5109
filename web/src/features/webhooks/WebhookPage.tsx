import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { deliveriesQuery, useDeleteWebhook, useReplayDelivery, useTestWebhook, useUpdateWebhook, webhookQuery } from "@/data/webhooks";
import type { WebhookDeliveryJson, WebhookJson } from "@/gen/echomind/public/v1/webhook_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment, formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { showFailure } from "@/ui/toasts";
import { eventName, STATUSES } from "./parts/events";
import { RotateSecretDialog } from "./parts/RotateSecretDialog";
import { WebhookDialog } from "./parts/WebhookDialog";
import { WebhookState } from "./parts/WebhookState";
import styles from "./WebhookPage.module.css";

/** A webhook: its state, what can be done with it, and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(Number(id)));
  const isInstallation = webhook?.isInstallation ?? false;
  const test = useTestWebhook();
  return (
    <Page
      title={webhook?.url ?? t`Webhook`}
      section={t`Webhooks`}
      parents={[{ href: isInstallation ? "/admin/webhooks" : "/settings/webhooks", label: t`Webhooks` }]}
      {...(webhook?.description && { description: webhook.description })}
      actions={
        webhook?.isEnabled && (
          <Button variant="primary" disabled={test.isPending} onClick={() => test.mutate(Number(id), { onError: showFailure })}>
            <Send size={16} /> <Trans>Send test event</Trans>
          </Button>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!webhook} label={t`Loading`} />
      {webhook && <About webhook={webhook} />}
      {webhook && <Deliveries webhook={webhook} />}
    </Page>
  );
}

/** The events that a webhook receives, and how it fares. */
function About({ webhook }: { webhook: WebhookJson }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { id = 0, isEnabled = false, isInstallation = false, disabledReason, failingSince, previousSecretUntil, userName = "" } = webhook;
  const [opened, setOpened] = useState<"change" | "rotate" | "remove">();
  const update = useUpdateWebhook();
  const remove = useDeleteWebhook();
  const close = () => setOpened(undefined);
  return (
    <section className={styles.about} aria-label={t`About the webhook`}>
      {disabledReason && <Notice tone="danger">{serverWords(disabledReason)}</Notice>}
      <Rows label={t`About the webhook`}>
        <Row
          isSentence
          name={(webhook.eventTypes ?? []).map((type) => t(eventName(type))).join(", ")}
          badges={<WebhookState webhook={webhook} />}
          facts={[
            isInstallation && t`With the rights of ${userName}`,
            t`Created ${formatMoment(webhook.creationDate)}`,
            failingSince && t`Failing since ${formatMoment(failingSince)}`,
            previousSecretUntil && t`The earlier secret also signs until ${formatMoment(previousSecretUntil)}`,
          ]}
          actions={
            <>
              <Button size="sm" onClick={() => setOpened("change")}>
                <Trans>Edit</Trans>
              </Button>
              <Button size="sm" onClick={() => setOpened("rotate")}>
                <Trans>Rotate secret</Trans>
              </Button>
              <Button size="sm" disabled={update.isPending} onClick={() => update.mutate({ id, isEnabled: !isEnabled }, { onError: showFailure })}>
                {isEnabled ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
              </Button>
              <Button size="sm" onClick={() => setOpened("remove")}>
                <Trans>Remove</Trans>
              </Button>
            </>
          }
        />
      </Rows>
      {opened === "change" && <WebhookDialog webhook={webhook} isInstallation={isInstallation} onClose={close} />}
      {opened === "rotate" && <RotateSecretDialog webhookId={id} onClose={close} />}
      {opened === "remove" && (
        <ConfirmDialog
          title={t`Remove this webhook?`}
          text={t`No events are sent to it any more, and its deliveries are deleted.`}
          action={t`Remove`}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            navigate(isInstallation ? "/admin/webhooks" : "/settings/webhooks");
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

/** What was sent to a webhook, newest first. */
function Deliveries({ webhook }: { webhook: WebhookJson }) {
  const { t } = useLingui();
  const found = useInfiniteQuery(deliveriesQuery(webhook.id ?? 0));
  const deliveries = found.data?.pages.flatMap((page) => page.deliveries ?? []);
  return (
    <section className={styles.deliveries} aria-labelledby="deliveries">
      <h2 id="deliveries">
        <Trans>Deliveries of the last 30 days</Trans>
      </h2>
      {found.error && <LoadFailure error={found.error} onRetry={() => found.refetch()} />}
      {deliveries && (
        <Rows label={t`Deliveries`} whenEmpty={t`Nothing was sent yet.`}>
          {deliveries.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} mayReplay={webhook.isEnabled ?? false} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
    </section>
  );
}

function Delivery({ delivery, mayReplay }: { delivery: WebhookDeliveryJson; mayReplay: boolean }) {
  const { t } = useLingui();
  const replay = useReplayDelivery();
  const { id = "", status = "WEBHOOK_DELIVERY_STATUS_UNSPECIFIED", attempts = 0, responseStatus = 0, durationMs = 0, error, nextAttemptAt } = delivery;
  const { label, tone } = STATUSES[status];
  const name = t(eventName(delivery.eventType));
  return (
    <Row
      name={name}
      badges={<Badge tone={tone}>{t(label)}</Badge>}
      facts={[
        formatTimestamp(delivery.creationDate),
        responseStatus > 0 && t`Answer ${responseStatus}`,
        durationMs > 0 && t`${durationMs} ms`,
        attempts > 1 && t`Attempts: ${attempts}`,
        nextAttemptAt && attempts > 0 && t`Next attempt ${formatMoment(nextAttemptAt)}`,
        serverWords(error),
      ]}
      actions={
        mayReplay && (
          <Button size="sm" aria-label={t`Send again: ${name}`} disabled={replay.isPending} onClick={() => replay.mutate(id, { onError: showFailure })}>
            <Trans>Send again</Trans>
          </Button>
        )
      }
    >
      {delivery.payload && (
        <details className={styles.payload}>
          <summary>
            <Trans>Request</Trans>
          </summary>
          <pre>{delivery.payload}</pre>
        </details>
      )}
    </Row>
  );
}
