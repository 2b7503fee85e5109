import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { WebhookDeliveryStatusJson, WebhookEventTypeJson } from "@/gen/echomind/public/v1/webhook_pb";

/** Events that a webhook can receive, by the words of the form. */
export const EVENTS: readonly { value: WebhookEventTypeJson; label: MessageDescriptor }[] = [
  { value: "WEBHOOK_EVENT_TYPE_RUN_COMPLETED", label: msg`Run completed` },
  { value: "WEBHOOK_EVENT_TYPE_RUN_FAILED", label: msg`Run failed` },
  { value: "WEBHOOK_EVENT_TYPE_RUN_CANCELLED", label: msg`Run cancelled` },
  { value: "WEBHOOK_EVENT_TYPE_RUN_WAITING_FOR_INPUT", label: msg`Run waits for an answer or approval` },
  { value: "WEBHOOK_EVENT_TYPE_DOCUMENT_READY", label: msg`Document ready` },
  { value: "WEBHOOK_EVENT_TYPE_DOCUMENT_FAILED", label: msg`Document failed` },
  { value: "WEBHOOK_EVENT_TYPE_DOCUMENT_REMOVED", label: msg`Document removed` },
  { value: "WEBHOOK_EVENT_TYPE_SYNC_COMPLETED", label: msg`Sync completed` },
  { value: "WEBHOOK_EVENT_TYPE_SYNC_FAILED", label: msg`Sync failed` },
];

/** Events that only webhooks of the installation receive. */
export const AUDIT: { value: WebhookEventTypeJson; label: MessageDescriptor } = {
  value: "WEBHOOK_EVENT_TYPE_AUDIT_ENTRY",
  label: msg`Entry of the audit log`,
};

const TEST = { value: "WEBHOOK_EVENT_TYPE_TEST", label: msg({ message: `Test`, context: "noun" }) };

/** The name of an event; of one that this page does not know, the server's. */
export function eventName(type: WebhookEventTypeJson = "WEBHOOK_EVENT_TYPE_UNSPECIFIED"): MessageDescriptor {
  return [...EVENTS, AUDIT, TEST].find(({ value }) => value === type)?.label ?? { id: type };
}

/** The states of a delivery. */
export const STATUSES: Readonly<Record<WebhookDeliveryStatusJson, { label: MessageDescriptor; tone: "neutral" | "accent" | "warn" | "danger" }>> = {
  WEBHOOK_DELIVERY_STATUS_UNSPECIFIED: { label: msg`Unknown`, tone: "neutral" },
  WEBHOOK_DELIVERY_STATUS_PENDING: { label: msg({ message: `Pending`, context: "delivery" }), tone: "warn" },
  WEBHOOK_DELIVERY_STATUS_DELIVERED: { label: msg`Delivered`, tone: "accent" },
  WEBHOOK_DELIVERY_STATUS_FAILED: { label: msg`Failed`, tone: "danger" },
  WEBHOOK_DELIVERY_STATUS_WITHHELD: { label: msg`Withheld`, tone: "neutral" },
};
