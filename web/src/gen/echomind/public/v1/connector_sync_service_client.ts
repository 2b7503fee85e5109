// Generated from echomind/public/v1/connector_sync_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ConnectorSyncJson } from "./connector_pb.js";
import type { CancelConnectorSyncRequestJson, ConfirmConnectorSyncRequestJson, GetConnectorSyncRequestJson, ListConnectorSyncFailuresRequestJson, ListConnectorSyncFailuresResponseJson, ListConnectorSyncRemovalsRequestJson, ListConnectorSyncRemovalsResponseJson, ListConnectorSyncsRequestJson, ListConnectorSyncsResponseJson, RejectConnectorSyncRequestJson, SyncConnectorRequestJson } from "./connector_sync_service_pb.js";

/**
 * Requests a sync. While one waits or runs, it is that one. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (paused, disabled, without credentials, not synced).
 */
export const syncConnector = /* @__PURE__ */ call<SyncConnectorRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connectors/{id}:sync", "*");

/**
 * Ends the sync that waits or runs; what it has stored stays. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (there is none).
 */
export const cancelConnectorSync = /* @__PURE__ */ call<CancelConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connectors/{id}:cancelSync", "*");

/** Lists a connector's syncs, the newest first. Errors: NOT_FOUND. */
export const listConnectorSyncs = /* @__PURE__ */ call<ListConnectorSyncsRequestJson, ListConnectorSyncsResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/syncs");

/** Reads one sync. Errors: NOT_FOUND. */
export const getConnectorSync = /* @__PURE__ */ call<GetConnectorSyncRequestJson, ConnectorSyncJson, "id">("GET", "/api/v1/connector-syncs/{id}");

/** Lists what a sync could not read, for who manages the connector. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const listConnectorSyncFailures = /* @__PURE__ */ call<ListConnectorSyncFailuresRequestJson, ListConnectorSyncFailuresResponseJson, "id">("GET", "/api/v1/connector-syncs/{id}/failures");

/**
 * Lists the documents that a sync with SYNC_STATUS_WAITING_FOR_CONFIRMATION would remove, for who manages
 * the connector; none when it does not wait. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listConnectorSyncRemovals = /* @__PURE__ */ call<ListConnectorSyncRemovalsRequestJson, ListConnectorSyncRemovalsResponseJson, "id">("GET", "/api/v1/connector-syncs/{id}/removals");

/**
 * Removes what a waiting sync would remove. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (it does
 * not wait).
 */
export const confirmConnectorSync = /* @__PURE__ */ call<ConfirmConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connector-syncs/{id}:confirm", "*");

/**
 * Ends a waiting sync without removing anything, and pauses the connector. Errors: NOT_FOUND,
 * PERMISSION_DENIED, CONNECTOR_STATE (it does not wait).
 */
export const rejectConnectorSync = /* @__PURE__ */ call<RejectConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connector-syncs/{id}:reject", "*");
