// Generated from echomind/public/v1/secret_key_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SecretKeyJson } from "./secret_key_pb.js";
import type { ListSecretKeysResponseJson, ReencryptSecretsResponseJson, RetireSecretKeysResponseJson } from "./secret_key_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the keys, the primary one first, and how many stored secrets are encrypted with each. Needs `superadmin`. */
export const listSecretKeys = /* @__PURE__ */ call<EmptyJson, ListSecretKeysResponseJson>("GET", "/api/v1/secret-keys");

/**
 * Creates a key that is the primary one from now on. The others still decrypt; services read the new key when they need
 * it. Needs `superadmin`; audited. Errors: VALIDATION_FAILED (the keys come from the environment),
 * DEPENDENCY_UNAVAILABLE (a backup is being made).
 */
export const createSecretKey = /* @__PURE__ */ call<EmptyJson, SecretKeyJson>("POST", "/api/v1/secret-keys", "*");

/**
 * Encrypts stored secrets with the primary key that are encrypted with others, for at most some seconds: repeat it until
 * it is complete. Needs `superadmin`; audited when it changes something.
 */
export const reencryptSecrets = /* @__PURE__ */ call<EmptyJson, ReencryptSecretsResponseJson>("POST", "/api/v1/secret-keys:reencrypt", "*");

/**
 * Removes the keys with which no stored secret is encrypted any more, except the primary one; in the first minute after
 * a key was created or removed, none. Backups that were made before contain the keys that they need. Needs `superadmin`;
 * audited when it changes something. Errors: VALIDATION_FAILED (the keys come from the environment).
 */
export const retireSecretKeys = /* @__PURE__ */ call<EmptyJson, RetireSecretKeysResponseJson>("POST", "/api/v1/secret-keys:retire", "*");
