// Generated from echomind/public/v1/source_permission_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ListDocumentReadersRequestJson, ListDocumentReadersResponseJson, ListSourceGroupsRequestJson, ListSourceGroupsResponseJson, ListSourcePeopleRequestJson, ListSourcePeopleResponseJson, SetSourceAliasRequestJson, SetSourceAliasResponseJson } from "./source_permission_service_pb.js";

/** Lists the people of the source of a connector. Needs `superadmin`. Errors: NOT_FOUND. */
export const listSourcePeople = /* @__PURE__ */ call<ListSourcePeopleRequestJson, ListSourcePeopleResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/people");

/**
 * Lists the groups that documents of a connector are shared with at its source. Needs `superadmin`.
 * Errors: NOT_FOUND.
 */
export const listSourceGroups = /* @__PURE__ */ call<ListSourceGroupsRequestJson, ListSourceGroupsResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/groups");

/**
 * Says which account a person of sources is, whatever their e-mail address is; it counts at once. Needs `superadmin`,
 * and with a key the scope `administer`; audited. Errors: NOT_FOUND.
 */
export const setSourceAlias = /* @__PURE__ */ call<SetSourceAliasRequestJson, SetSourceAliasResponseJson>("POST", "/api/v1/source-aliases:set", "*");

/**
 * Lists who may read a document at its source. The caller must be allowed to read the document and to manage its
 * connector. Empty when the scope of the connector alone decides. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listDocumentReaders = /* @__PURE__ */ call<ListDocumentReadersRequestJson, ListDocumentReadersResponseJson, "documentId">("GET", "/api/v1/documents/{documentId}/readers");
