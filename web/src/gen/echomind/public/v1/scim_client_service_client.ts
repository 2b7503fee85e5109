// Generated from echomind/public/v1/scim_client_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ScimClientJson } from "./scim_client_pb.js";
import type { CreateScimClientRequestJson, CreateScimTokenRequestJson, CreateScimTokenResponseJson, DeleteScimClientRequestJson, DeleteScimTokenRequestJson, GetScimClientRequestJson, GiveUserToScimClientRequestJson, ListScimClientsRequestJson, ListScimClientsResponseJson } from "./scim_client_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the clients by name. */
export const listScimClients = /* @__PURE__ */ call<ListScimClientsRequestJson, ListScimClientsResponseJson>("GET", "/api/v1/scim-clients");

/** Reads one client. Errors: NOT_FOUND. */
export const getScimClient = /* @__PURE__ */ call<GetScimClientRequestJson, ScimClientJson, "id">("GET", "/api/v1/scim-clients/{id}");

/** Adds a client, which has no token yet. Errors: ALREADY_EXISTS, NOT_FOUND (the provider). */
export const createScimClient = /* @__PURE__ */ call<CreateScimClientRequestJson, ScimClientJson>("POST", "/api/v1/scim-clients", "scimClient");

/**
 * Removes a client: its tokens stop working within a minute, and the memberships that it gave are taken back. Accounts
 * and groups stay. Errors: NOT_FOUND.
 */
export const deleteScimClient = /* @__PURE__ */ call<DeleteScimClientRequestJson, EmptyJson, "id">("DELETE", "/api/v1/scim-clients/{id}");

/**
 * Makes a token, whose secret is returned by this call only. A client has at most two, so that one can be replaced
 * without a gap. Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`: `lasting_credential`, `recent_sign_in`),
 * VALIDATION_FAILED (a third token).
 */
export const createScimToken = /* @__PURE__ */ call<CreateScimTokenRequestJson, CreateScimTokenResponseJson, "id">("POST", "/api/v1/scim-clients/{id}/tokens", "*");

/** Removes a token: it stops working within a minute. Errors: NOT_FOUND. */
export const deleteScimToken = /* @__PURE__ */ call<DeleteScimTokenRequestJson, EmptyJson, "id" | "tokenId">("DELETE", "/api/v1/scim-clients/{id}/tokens/{tokenId}");

/**
 * Gives a client an account, which it then maintains as a user of this name: it changes names and address, deactivates
 * and activates it. Errors: NOT_FOUND (the client, the account), ALREADY_EXISTS (a client maintains the account, or this
 * one has a user of this name).
 */
export const giveUserToScimClient = /* @__PURE__ */ call<GiveUserToScimClientRequestJson, ScimClientJson, "id">("POST", "/api/v1/scim-clients/{id}:giveUser", "*");
