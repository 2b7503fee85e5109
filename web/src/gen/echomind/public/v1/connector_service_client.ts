// Generated from echomind/public/v1/connector_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ConnectorJson } from "./connector_pb.js";
import type { CreateConnectorRequestJson, DeleteConnectorRequestJson, GetConnectorRequestJson, ListConnectorsRequestJson, ListConnectorsResponseJson, ReconcileDocumentsRequestJson, ReconcileDocumentsResponseJson, UpdateConnectorRequestJson } from "./connector_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the connectors that the caller may read, by id. */
export const listConnectors = /* @__PURE__ */ call<ListConnectorsRequestJson, ListConnectorsResponseJson>("GET", "/api/v1/connectors");

/** Reads one connector. Errors: NOT_FOUND. */
export const getConnector = /* @__PURE__ */ call<GetConnectorRequestJson, ConnectorJson, "id">("GET", "/api/v1/connectors/{id}");

/** Adds a connector. Errors: ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE. */
export const createConnector = /* @__PURE__ */ call<CreateConnectorRequestJson, ConnectorJson>("POST", "/api/v1/connectors", "connector");

/**
 * Changes `name`, `config`, `refresh_freq_minutes`, or `scope` with `scope_id`, which holds at once.
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
