// Generated from echomind/public/v1/connector_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ConnectorJson } from "./connector_pb.js";
import type { CompleteConnectorSignInRequestJson, CreateConnectorRequestJson, DeleteConnectorRequestJson, DisableConnectorRequestJson, DisconnectAccountRequestJson, DisconnectAccountResponseJson, EnableConnectorRequestJson, GetConnectorRequestJson, ListConnectedAccountsRequestJson, ListConnectedAccountsResponseJson, ListConnectorTypesRequestJson, ListConnectorTypesResponseJson, ListConnectorsRequestJson, ListConnectorsResponseJson, PauseConnectorRequestJson, ReconcileDocumentsRequestJson, ReconcileDocumentsResponseJson, ResumeConnectorRequestJson, StartConnectorSignInRequestJson, StartConnectorSignInResponseJson, TestConnectorRequestJson, TestConnectorResponseJson, UpdateConnectorRequestJson } from "./connector_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the connectors that the caller may read, by ID. */
export const listConnectors = /* @__PURE__ */ call<ListConnectorsRequestJson, ListConnectorsResponseJson>("GET", "/api/v1/connectors");

/** Reads one connector. Errors: NOT_FOUND. */
export const getConnector = /* @__PURE__ */ call<GetConnectorRequestJson, ConnectorJson, "id">("GET", "/api/v1/connectors/{id}");

/**
 * Creates a connector. A synced one starts its first sync immediately if it has the required credentials. Errors:
 * ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE.
 */
export const createConnector = /* @__PURE__ */ call<CreateConnectorRequestJson, ConnectorJson>("POST", "/api/v1/connectors", "connector");

/**
 * Updates `name`, `config`, `credentials`, `permission_mode`, `refresh_freq_minutes`, or `scope` with `scope_id`,
 * which takes effect immediately. After a change of `config` or `permission_mode` the next sync is a full one.
 * Errors: NOT_FOUND, PERMISSION_DENIED, GROUP_REQUIRED, DELETION_HELD (your organization has to keep its documents, and
 * `scope` would change).
 */
export const updateConnector = /* @__PURE__ */ call<Omit<UpdateConnectorRequestJson, "updateMask">, ConnectorJson, "id">("PATCH", "/api/v1/connectors/{id}", "connector");

/** Deletes a connector and its documents, which become invisible immediately. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteConnector = /* @__PURE__ */ call<DeleteConnectorRequestJson, EmptyJson, "id">("DELETE", "/api/v1/connectors/{id}");

/**
 * Compares the files of a folder with the stored documents: returns which files to upload, and with `remove_missing`
 * removes documents whose files no longer exist. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const reconcileDocuments = /* @__PURE__ */ call<ReconcileDocumentsRequestJson, ReconcileDocumentsResponseJson, "id">("POST", "/api/v1/connectors/{id}:reconcile", "*");

/** Lists the installed connector types with their settings. */
export const listConnectorTypes = /* @__PURE__ */ call<ListConnectorTypesRequestJson, ListConnectorTypesResponseJson>("GET", "/api/v1/connector-types");

/**
 * Tests whether a connector can read its source, without storing anything: with `id` the stored one, using the given
 * settings and credentials instead of its own; with `type_name` one that is not stored. Errors: NOT_FOUND,
 * PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE, DEPENDENCY_UNAVAILABLE (no ingestor answers).
 */
export const testConnector = /* @__PURE__ */ call<TestConnectorRequestJson, TestConnectorResponseJson>("POST", "/api/v1/connectors:test", "*");

/**
 * Pauses a connector: no sync runs until it is resumed, and an active sync is cancelled. Its documents are kept.
 * Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
 */
export const pauseConnector = /* @__PURE__ */ call<PauseConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:pause", "*");

/**
 * Resumes a paused connector; an overdue sync starts immediately. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (not synced).
 */
export const resumeConnector = /* @__PURE__ */ call<ResumeConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:resume", "*");

/**
 * Disables a connector: only a superadmin can enable it again. Its documents are kept. Needs `superadmin`. Errors:
 * NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
 */
export const disableConnector = /* @__PURE__ */ call<DisableConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:disable", "*");

/** Enables a disabled connector. Needs `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE. */
export const enableConnector = /* @__PURE__ */ call<EnableConnectorRequestJson, ConnectorJson, "id">("POST", "/api/v1/connectors/{id}:enable", "*");

/**
 * Starts the sign-in that connects a connector with a user's own account. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (its type has no sign-in, or no application is configured for it).
 */
export const startConnectorSignIn = /* @__PURE__ */ call<StartConnectorSignInRequestJson, StartConnectorSignInResponseJson, "id">("POST", "/api/v1/connectors/{id}:startSignIn", "*");

/**
 * Completes a sign-in with the parameters that the provider has sent to the page `/connectors/sign-in`; stores the
 * tokens encrypted. Works only in the web session that started it, once and within ten minutes. Errors:
 * SIGN_IN_REFUSED, NOT_FOUND, PERMISSION_DENIED.
 */
export const completeConnectorSignIn = /* @__PURE__ */ call<CompleteConnectorSignInRequestJson, ConnectorJson>("POST", "/api/v1/connectors:completeSignIn", "*");

/**
 * Lists the accounts that the caller has signed in with for connectors, by connector: also for those of others, and those
 * that the caller may not read any more.
 */
export const listConnectedAccounts = /* @__PURE__ */ call<ListConnectedAccountsRequestJson, ListConnectedAccountsResponseJson>("GET", "/api/v1/connected-accounts");

/**
 * Takes a sign-in of the caller's back: the tokens are deleted, and given back to a provider that takes them. The
 * connector keeps its documents, and is not synced until somebody signs in again. Errors: NOT_FOUND (the caller has not
 * signed in for this connector).
 */
export const disconnectAccount = /* @__PURE__ */ call<DisconnectAccountRequestJson, DisconnectAccountResponseJson, "id">("POST", "/api/v1/connected-accounts/{id}:disconnect", "*");
