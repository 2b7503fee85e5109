/** Webhooks: addresses to which events are sent, and the deliveries to them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import type { WebhookDeliveryJson, WebhookJson } from "@/gen/echomind/public/v1/webhook_pb";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from "@/gen/echomind/public/v1/webhook_service_client";
import type { RotateWebhookSecretRequestJson } from "@/gen/echomind/public/v1/webhook_service_pb";
import { changesOf } from "./changes";

const KEY = ["webhooks"] as const;
/** How often the deliveries are read again while one is pending. */
const REFRESH_MS = 1500;

/** The reader's own webhooks, or those of the installation; oldest first, without their secrets. */
export function webhooksQuery(ofInstallation: boolean) {
  return queryOptions({
    queryKey: [...KEY, "list", ofInstallation],
    queryFn: ({ signal }) => readAll(listWebhooks, "webhooks", { ofInstallation }, signal),
  });
}

/** A webhook. */
export function webhookQuery(id: number) {
  return queryOptions({ queryKey: [...KEY, "detail", id], queryFn: ({ signal }) => getWebhook({ id }, { signal }) });
}

/** The deliveries of a webhook, newest first. They are read again while the newest is pending. */
export function deliveriesQuery(webhookId: number) {
  return infiniteQueryOptions({
    ...pagedQuery([...KEY, "deliveries", webhookId], listWebhookDeliveries, { webhookId, pageSize: 20 }),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.deliveries?.some(isWaiting) ? REFRESH_MS : false),
  });
}

/** Whether a delivery's first attempt is still to come. */
function isWaiting({ status, attempts = 0 }: WebhookDeliveryJson): boolean {
  return status === "WEBHOOK_DELIVERY_STATUS_PENDING" && attempts === 0;
}

const useChange = changesOf(KEY);

/** Adds a webhook; its secret is in this answer and never again. */
export function useCreateWebhook() {
  return useChange((webhook: WebhookJson) => createWebhook({ webhook }));
}

/** Changes a webhook. */
export function useUpdateWebhook() {
  return useChange(({ id, ...webhook }: WebhookJson & { id: number }) => updateWebhook({ id, webhook }));
}

/** Removes a webhook with its deliveries. */
export function useDeleteWebhook() {
  return useChange((id: number) => deleteWebhook({ id }));
}

/** Gives a webhook another secret, which is in this answer and never again. */
export function useRotateWebhookSecret() {
  return useChange((rotation: RotateWebhookSecretRequestJson & { id: number }) => rotateWebhookSecret(rotation));
}

/** Sends a test event. */
export function useTestWebhook() {
  return useChange((id: number) => testWebhook({ id }));
}

/** Sends a delivery again. */
export function useReplayDelivery() {
  return useChange((id: string) => replayWebhookDelivery({ id }));
}
