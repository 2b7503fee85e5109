// Generated from echomind/public/v1/connector_sync_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ConnectorSyncJson } from "./connector_pb.js";
import type { CancelConnectorSyncRequestJson, ConfirmConnectorSyncRequestJson, GetConnectorSyncRequestJson, ListConnectorSyncFailuresRequestJson, ListConnectorSyncFailuresResponseJson, ListConnectorSyncRemovalsRequestJson, ListConnectorSyncRemovalsResponseJson, ListConnectorSyncsRequestJson, ListConnectorSyncsResponseJson, RejectConnectorSyncRequestJson, SyncConnectorRequestJson } from "./connector_sync_service_pb.js";

/**
 * Requests a sync. If one is queued or running, returns that one. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (paused, disabled, without credentials, not synced).
 */
export const syncConnector = /* @__PURE__ */ call<SyncConnectorRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connectors/{id}:sync", "*");

/**
 * Cancels the queued or running sync; what it has stored is kept. Errors: NOT_FOUND, PERMISSION_DENIED,
 * CONNECTOR_STATE (there is none).
 */
export const cancelConnectorSync = /* @__PURE__ */ call<CancelConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connectors/{id}:cancelSync", "*");

/** Lists the syncs of a connector, newest first. Errors: NOT_FOUND. */
export const listConnectorSyncs = /* @__PURE__ */ call<ListConnectorSyncsRequestJson, ListConnectorSyncsResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/syncs");

/** Reads one sync. Errors: NOT_FOUND. */
export const getConnectorSync = /* @__PURE__ */ call<GetConnectorSyncRequestJson, ConnectorSyncJson, "id">("GET", "/api/v1/connector-syncs/{id}");

/**
 * Lists the items that a sync could not read, for those who manage the connector. Errors: NOT_FOUND,
 * PERMISSION_DENIED.
 */
export const listConnectorSyncFailures = /* @__PURE__ */ call<ListConnectorSyncFailuresRequestJson, ListConnectorSyncFailuresResponseJson, "id">("GET", "/api/v1/connector-syncs/{id}/failures");

/**
 * Lists the documents that a sync with SYNC_STATUS_WAITING_FOR_CONFIRMATION would remove, for those who manage the
 * connector; empty for other syncs. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listConnectorSyncRemovals = /* @__PURE__ */ call<ListConnectorSyncRemovalsRequestJson, ListConnectorSyncRemovalsResponseJson, "id">("GET", "/api/v1/connector-syncs/{id}/removals");

/**
 * Confirms a waiting sync, which then removes the documents. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE
 * (it does not wait).
 */
export const confirmConnectorSync = /* @__PURE__ */ call<ConfirmConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connector-syncs/{id}:confirm", "*");

/**
 * Ends a waiting sync without removing anything, and pauses the connector. Errors: NOT_FOUND,
 * PERMISSION_DENIED, CONNECTOR_STATE (it does not wait).
 */
export const rejectConnectorSync = /* @__PURE__ */ call<RejectConnectorSyncRequestJson, ConnectorSyncJson, "id">("POST", "/api/v1/connector-syncs/{id}:reject", "*");
