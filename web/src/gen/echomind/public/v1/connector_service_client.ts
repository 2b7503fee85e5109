// Generated from echomind/public/v1/connector_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ConnectorJson } from "./connector_pb.js";
import type { CompleteConnectorSignInRequestJson, CreateConnectorRequestJson, DeleteConnectorRequestJson, DisableConnectorRequestJson, EnableConnectorRequestJson, GetConnectorRequestJson, ListConnectorTypesRequestJson, ListConnectorTypesResponseJson, ListConnectorsRequestJson, ListConnectorsResponseJson, PauseConnectorRequestJson, ReconcileDocumentsRequestJson, ReconcileDocumentsResponseJson, ResumeConnectorRequestJson, StartConnectorSignInRequestJson, StartConnectorSignInResponseJson, TestConnectorRequestJson, TestConnectorResponseJson, UpdateConnectorRequestJson } from "./connector_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the connectors that the caller may read, by id. */
export const listConnectors = /* @__PURE__ */ call<ListConnectorsRequestJson, ListConnectorsResponseJson>("GET", "/api/v1/connectors");

/** Reads one connector. Errors: NOT_FOUND. */
export const getConnector = /* @__PURE__ */ call<GetConnectorRequestJson, ConnectorJson, "id">("GET", "/api/v1/connectors/{id}");

/**
 * Adds a connector. One that is synced begins at once when it has the credentials that it needs.
 * Errors: ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE.
 */
export const createConnector = /* @__PURE__ */ call<CreateConnectorRequestJson, ConnectorJson>("POST", "/api/v1/connectors", "connector");

/**
 * Changes `name`, `config`, `credentials`, `permission_mode`, `refresh_freq_minutes`, or `scope` with `scope_id`, which
 * holds at once. A changed `config` or `permission_mode` makes the next sync list everything.
 * Errors: NOT_FOUND, PERMISSION_DENIED, GROUP_REQUIRED.
 */
export const updateConnector = /* @__PURE__ */ call<Omit<UpdateConnectorRequestJson, "updateMask">, ConnectorJson, "id">("PATCH", "/api/v1/connectors/{id}", "connector");

/** Removes a connector and its documents; they are invisible at once. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteConnector = /* @__PURE__ */ call<DeleteConnectorRequestJson, EmptyJson, "id">("DELETE", "/api/v1/connectors/{id}");

/**
 * Compares what a folder holds now with what is stored: says which files to upload, and with `remove_missing`
 * removes the documents that the folder no longer holds. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const reconcileDocuments = /* @__PURE__ */ call<ReconcileDocumentsRequestJson, ReconcileDocumentsResponseJson, "id">("POST", "/api/v1/connectors/{id}:reconcile", "*");

/** Lists the types of connectors that are installed, with the settings of each. */
export const listConnectorTypes = /* @__PURE__ */ call<ListConnectorTypesRequestJson, ListConnectorTypesResponseJson>("GET", "/api/v1/connector-types");

/**
 * Tries whether a connector can read its source, without storing anything. With `id` the stored one,
 * with the settings and credentials that are given instead of its own; with `type_name` one that is not stored.
 * Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE, DEPENDENCY_UNAVAILABLE (no ingestor answers).
 */
export const testConnector = /* @__PURE__ */ call<TestConnectorRequestJson, TestConnectorResponseJson>("POST", "/api/v1/connectors:test", "*");

/**
 * Pauses a connector: nothing is synced until it is resumed, and what runs is cancelled. Its documents stay.
 * Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
 */
export const pauseConnector = /* @__PURE__ */ call<PauseConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:pause", "*");

/**
 * Resumes a paused connector; what has become due meanwhile is synced at once. Errors: NOT_FOUND,
 * PERMISSION_DENIED, CONNECTOR_STATE (not synced).
 */
export const resumeConnector = /* @__PURE__ */ call<ResumeConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:resume", "*");

/**
 * Disables a connector, for superadmins: nobody but a superadmin can have it synced again. Its documents stay.
 * Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
 */
export const disableConnector = /* @__PURE__ */ call<DisableConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:disable", "*");

/** Enables a disabled connector, for superadmins. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE. */
export const enableConnector = /* @__PURE__ */ call<EnableConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:enable", "*");

/**
 * Begins the sign-in that connects a connector with a person's own account. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (its type has no sign-in, or no application is configured for it).
 */
export const startConnectorSignIn = /* @__PURE__ */ call<StartConnectorSignInRequestJson, StartConnectorSignInResponseJson, "id">("POST", "/api/v1/connectors/{id}:startSignIn", "*");

/**
 * Completes a sign-in with what the provider has sent to the page `/connectors/sign-in`: stores the tokens encrypted.
 * Only the web session that began it can, once and within ten minutes. Errors: SIGN_IN_REFUSED, NOT_FOUND,
 * PERMISSION_DENIED.
 */
export const completeConnectorSignIn = /* @__PURE__ */ call<CompleteConnectorSignInRequestJson, ConnectorJson>("POST", "/api/v1/connectors:completeSignIn", "*");
