// Generated from echomind/public/v1/identity_provider_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { IdentityProviderJson } from "./identity_provider_pb.js";
import type { CreateIdentityProviderRequestJson, DeleteIdentityProviderRequestJson, GetIdentityProviderRequestJson, ListIdentityProvidersRequestJson, ListIdentityProvidersResponseJson, TestIdentityProviderRequestJson, TestIdentityProviderResponseJson, UpdateIdentityProviderRequestJson } from "./identity_provider_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the providers by name, with those of the settings. */
export const listIdentityProviders = /* @__PURE__ */ call<ListIdentityProvidersRequestJson, ListIdentityProvidersResponseJson>("GET", "/api/v1/identity-providers");

/** Reads one provider. Errors: NOT_FOUND. */
export const getIdentityProvider = /* @__PURE__ */ call<GetIdentityProviderRequestJson, IdentityProviderJson, "id">("GET", "/api/v1/identity-providers/{id}");

/**
 * Adds a provider. Errors: ALREADY_EXISTS (the name or the issuer, also in the settings), PERMISSION_DENIED (a key
 * that expires).
 */
export const createIdentityProvider = /* @__PURE__ */ call<CreateIdentityProviderRequestJson, IdentityProviderJson>("POST", "/api/v1/identity-providers", "identityProvider");

/**
 * Updates a provider; its name stays. Errors: NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED (a key that expires),
 * INVALID_ARGUMENT (no superadmin who can sign in would remain).
 */
export const updateIdentityProvider = /* @__PURE__ */ call<Omit<UpdateIdentityProviderRequestJson, "updateMask">, IdentityProviderJson, "id">("PATCH", "/api/v1/identity-providers/{id}", "identityProvider");

/**
 * Deletes a provider: web sessions that were begun with it end, and the groups and roles that it gave are taken back.
 * Accounts stay, and are found again if the issuer is added again. Errors: NOT_FOUND, INVALID_ARGUMENT (no superadmin
 * would remain).
 */
export const deleteIdentityProvider = /* @__PURE__ */ call<DeleteIdentityProviderRequestJson, EmptyJson, "id">("DELETE", "/api/v1/identity-providers/{id}");

/** Reads a provider's discovery document and its keys, and returns whether both are usable. Errors: NOT_FOUND. */
export const testIdentityProvider = /* @__PURE__ */ call<TestIdentityProviderRequestJson, TestIdentityProviderResponseJson, "name">("POST", "/api/v1/identity-providers/{name}:test", "*");
