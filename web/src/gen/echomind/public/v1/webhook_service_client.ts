// Generated from echomind/public/v1/webhook_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { WebhookDeliveryJson, WebhookJson } from "./webhook_pb.js";
import type { CreateWebhookRequestJson, CreateWebhookResponseJson, DeleteWebhookRequestJson, GetWebhookRequestJson, ListWebhookDeliveriesRequestJson, ListWebhookDeliveriesResponseJson, ListWebhooksRequestJson, ListWebhooksResponseJson, ReplayWebhookDeliveryRequestJson, RotateWebhookSecretRequestJson, RotateWebhookSecretResponseJson, TestWebhookRequestJson, UpdateWebhookRequestJson } from "./webhook_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists webhooks, oldest first: the caller's own, or those of the installation. Errors: PERMISSION_DENIED (of the
 * installation, without `superadmin`).
 */
export const listWebhooks = /* @__PURE__ */ call<ListWebhooksRequestJson, ListWebhooksResponseJson>("GET", "/api/v1/webhooks");

/** Reads a webhook. Errors: NOT_FOUND. */
export const getWebhook = /* @__PURE__ */ call<GetWebhookRequestJson, WebhookJson, "id">("GET", "/api/v1/webhooks/{id}");

/**
 * Creates a webhook. The secret is returned by this call only. A person has at most 20, and so has the installation.
 * Errors: PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED
 * (an address that is refused, no type, audit entries for a person, too many).
 */
export const createWebhook = /* @__PURE__ */ call<CreateWebhookRequestJson, CreateWebhookResponseJson>("POST", "/api/v1/webhooks", "webhook");

/**
 * Updates a webhook. Enabling it sends what is pending at once. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED,
 * as CreateWebhook.
 */
export const updateWebhook = /* @__PURE__ */ call<Omit<UpdateWebhookRequestJson, "updateMask">, WebhookJson, "id">("PATCH", "/api/v1/webhooks/{id}", "webhook");

/** Deletes a webhook with its deliveries. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteWebhook = /* @__PURE__ */ call<DeleteWebhookRequestJson, EmptyJson, "id">("DELETE", "/api/v1/webhooks/{id}");

/**
 * Gives a webhook another secret, which is returned by this call only. Until the overlap is over, requests carry the
 * signatures of both. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const rotateWebhookSecret = /* @__PURE__ */ call<RotateWebhookSecretRequestJson, RotateWebhookSecretResponseJson, "id">("POST", "/api/v1/webhooks/{id}:rotate", "*");

/**
 * Sends an event of the type `test` to a webhook; returns the delivery, which is sent in the background. Errors:
 * NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (the webhook is disabled).
 */
export const testWebhook = /* @__PURE__ */ call<TestWebhookRequestJson, WebhookDeliveryJson, "id">("POST", "/api/v1/webhooks/{id}:test", "*");

/** Lists the deliveries of a webhook, newest first. Errors: NOT_FOUND. */
export const listWebhookDeliveries = /* @__PURE__ */ call<ListWebhookDeliveriesRequestJson, ListWebhookDeliveriesResponseJson, "webhookId">("GET", "/api/v1/webhooks/{webhookId}/deliveries");

/**
 * Sends a delivery again, with the same `webhook-id`, whatever became of it. Errors: NOT_FOUND, PERMISSION_DENIED,
 * VALIDATION_FAILED (the webhook is disabled).
 */
export const replayWebhookDelivery = /* @__PURE__ */ call<ReplayWebhookDeliveryRequestJson, WebhookDeliveryJson, "id">("POST", "/api/v1/webhook-deliveries/{id}:replay", "*");
