// Generated from echomind/public/v1/api_key_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ApiKeyJson } from "./api_key_pb.js";
import type { CreateApiKeyRequestJson, CreateApiKeyResponseJson, DeleteApiKeyRequestJson, ListApiKeysRequestJson, ListApiKeysResponseJson, RotateApiKeyRequestJson, RotateApiKeyResponseJson, SetApiKeyQuotasRequestJson } from "./api_key_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's keys, newest first, without their secrets. */
export const listApiKeys = /* @__PURE__ */ call<ListApiKeysRequestJson, ListApiKeysResponseJson>("GET", "/api/v1/api-keys");

/**
 * Creates a key. The secret is returned by this call only. A key that is created with another key expires no later
 * than that key and has no scopes beyond those of it. The scope `administer` requires a key that has it, or a web
 * session that was signed in within the last 10 minutes; such a key has no limits. A key that is created with a key with
 * limits has these limits or narrower ones. Errors: ALREADY_EXISTS, NOT_FOUND (an assistant or connector that the caller
 * may not use), PERMISSION_DENIED (metadata `required`: a scope that the calling key lacks), VALIDATION_FAILED.
 */
export const createApiKey = /* @__PURE__ */ call<CreateApiKeyRequestJson, CreateApiKeyResponseJson>("POST", "/api/v1/api-keys", "*");

/**
 * Gives a key another secret, which is returned by this call only. The earlier one works until the overlap is over, and
 * cannot rotate the key; one from before it stops. The key's beginning, scopes and expiry stay. A key without
 * the scope `administer` can rotate only itself and the keys created with it. Errors: NOT_FOUND, PERMISSION_DENIED
 * (metadata `required`: `administer`, `current_secret`, `lasting_credential`, `recent_sign_in`).
 */
export const rotateApiKey = /* @__PURE__ */ call<RotateApiKeyRequestJson, RotateApiKeyResponseJson, "id">("POST", "/api/v1/api-keys/{id}:rotate", "*");

/**
 * Replaces all quotas and limits of a key. Quotas hold from the next run on, the other limits within a minute. A key never
 * sets its own, nor those of a key that it was created with: without the scope `administer` only those of the keys
 * created with it. The quotas of an ended key are deleted within an hour. Errors: NOT_FOUND, PERMISSION_DENIED (metadata
 * `required`: `administer`, `other_key`), VALIDATION_FAILED (a period twice, or a quota without a limit).
 */
export const setApiKeyQuotas = /* @__PURE__ */ call<SetApiKeyQuotasRequestJson, ApiKeyJson, "id">("PUT", "/api/v1/api-keys/{id}/quotas", "*");

/**
 * Revokes a key and the keys that were created with it: they stop working within a minute. A key without the scope
 * `administer` can revoke only itself and the keys created with it. Errors: NOT_FOUND, PERMISSION_DENIED (metadata
 * `required`: `administer`).
 */
export const deleteApiKey = /* @__PURE__ */ call<DeleteApiKeyRequestJson, EmptyJson, "id">("DELETE", "/api/v1/api-keys/{id}");
