// Generated from echomind/public/v1/service_account_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ApiKeyJson } from "./api_key_pb.js";
import type { ServiceAccountJson } from "./service_account_pb.js";
import type { CreateServiceAccountKeyRequestJson, CreateServiceAccountKeyResponseJson, CreateServiceAccountRequestJson, DeleteServiceAccountKeyRequestJson, DeleteServiceAccountRequestJson, GetServiceAccountRequestJson, ListServiceAccountKeysRequestJson, ListServiceAccountKeysResponseJson, ListServiceAccountsRequestJson, ListServiceAccountsResponseJson, RotateServiceAccountKeyRequestJson, RotateServiceAccountKeyResponseJson, SetServiceAccountKeyQuotasRequestJson, UpdateServiceAccountRequestJson } from "./service_account_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists service accounts by name: all for the role `admin`, otherwise those of the groups that the caller is an admin
 * of.
 */
export const listServiceAccounts = /* @__PURE__ */ call<ListServiceAccountsRequestJson, ListServiceAccountsResponseJson>("GET", "/api/v1/service-accounts");

/** Reads a service account. Errors: NOT_FOUND. */
export const getServiceAccount = /* @__PURE__ */ call<GetServiceAccountRequestJson, ServiceAccountJson, "id">("GET", "/api/v1/service-accounts/{id}");

/**
 * Creates a service account, which has no key yet. Needs `superadmin`, or an admin of `owner_group_id`; a key needs
 * the scope `administer` and no expiry. Errors: ALREADY_EXISTS (an account has the name), NOT_FOUND (a group),
 * PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED (the
 * group has 100 service accounts, or 10 and the caller is no superadmin).
 */
export const createServiceAccount = /* @__PURE__ */ call<CreateServiceAccountRequestJson, ServiceAccountJson>("POST", "/api/v1/service-accounts", "serviceAccount");

/**
 * Updates `name`, `purpose`, `owner_group_id`, `roles`, `groups` and `is_active`. Giving it to another group needs an
 * admin of both. A key needs the scope `administer`; one that expires cannot add a role or a group, give it to another
 * group or activate it. Errors: ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`,
 * `administer`, `lasting_credential`), VALIDATION_FAILED (the group has 100 service accounts, or 10 and the caller is
 * no superadmin).
 */
export const updateServiceAccount = /* @__PURE__ */ call<Omit<UpdateServiceAccountRequestJson, "updateMask">, ServiceAccountJson, "id">("PATCH", "/api/v1/service-accounts/{id}", "serviceAccount");

/**
 * Deletes a service account permanently, with its keys, conversations, memories and private connectors; connectors that
 * it shares are transferred to the caller. Runs are cancelled first. Needs a caller who could give it all that it has; a
 * key needs the scope `administer`. Errors: DELETION_HELD (a legal hold is on it, or on something of its), NOT_FOUND,
 * PERMISSION_DENIED.
 */
export const deleteServiceAccount = /* @__PURE__ */ call<DeleteServiceAccountRequestJson, EmptyJson, "id">("DELETE", "/api/v1/service-accounts/{id}");

/**
 * Lists the keys of a service account, newest first, without their secrets. Needs whoever manages it. Errors:
 * NOT_FOUND, PERMISSION_DENIED.
 */
export const listServiceAccountKeys = /* @__PURE__ */ call<ListServiceAccountKeysRequestJson, ListServiceAccountKeysResponseJson, "id">("GET", "/api/v1/service-accounts/{id}/keys");

/**
 * Creates a key of a service account, whose secret is returned by this call only. It never has the scope `administer`.
 * Needs a caller who could give the account all that it has; a key needs the scope `administer` and no expiry. Errors:
 * ALREADY_EXISTS, NOT_FOUND (the account; an assistant or connector that it may not use), PERMISSION_DENIED (metadata
 * `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED (it is deactivated).
 */
export const createServiceAccountKey = /* @__PURE__ */ call<CreateServiceAccountKeyRequestJson, CreateServiceAccountKeyResponseJson, "id">("POST", "/api/v1/service-accounts/{id}/keys", "*");

/**
 * Gives a key of a service account another secret, which is returned by this call only. The earlier one works until the
 * overlap is over; one from before it stops. Needs what CreateServiceAccountKey needs. Errors: NOT_FOUND,
 * PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`).
 */
export const rotateServiceAccountKey = /* @__PURE__ */ call<RotateServiceAccountKeyRequestJson, RotateServiceAccountKeyResponseJson, "id" | "keyId">("POST", "/api/v1/service-accounts/{id}/keys/{keyId}:rotate", "*");

/**
 * Replaces all quotas and limits of a key of a service account; see SetApiKeyQuotas. Needs whoever manages the account; a
 * key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (a period twice, or a quota
 * without a limit).
 */
export const setServiceAccountKeyQuotas = /* @__PURE__ */ call<SetServiceAccountKeyQuotasRequestJson, ApiKeyJson, "id" | "keyId">("PUT", "/api/v1/service-accounts/{id}/keys/{keyId}/quotas", "*");

/**
 * Revokes a key of a service account and the keys that were created with it: they stop working within a minute. Needs
 * whoever manages the account; a key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const deleteServiceAccountKey = /* @__PURE__ */ call<DeleteServiceAccountKeyRequestJson, EmptyJson, "id" | "keyId">("DELETE", "/api/v1/service-accounts/{id}/keys/{keyId}");
