// Generated from echomind/public/v1/source_permission_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ListDocumentReadersRequestJson, ListDocumentReadersResponseJson, ListSourceAliasesRequestJson, ListSourceAliasesResponseJson, ListSourceGroupsRequestJson, ListSourceGroupsResponseJson, ListSourcePeopleRequestJson, ListSourcePeopleResponseJson, SetSourceAliasRequestJson, SetSourceAliasResponseJson } from "./source_permission_service_pb.js";

/** Lists the people of a connector's source. Needs `superadmin`. Errors: NOT_FOUND. */
export const listSourcePeople = /* @__PURE__ */ call<ListSourcePeopleRequestJson, ListSourcePeopleResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/people");

/** Lists the groups of a connector's source with which documents are shared. Needs `superadmin`. Errors: NOT_FOUND. */
export const listSourceGroups = /* @__PURE__ */ call<ListSourceGroupsRequestJson, ListSourceGroupsResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/groups");

/**
 * Maps a person of sources to an account, regardless of their e-mail address; takes effect immediately. Needs
 * `superadmin`; a key needs the scope `administer`; audited. Errors: NOT_FOUND.
 */
export const setSourceAlias = /* @__PURE__ */ call<SetSourceAliasRequestJson, SetSourceAliasResponseJson>("POST", "/api/v1/source-aliases:set", "*");

/** Lists all aliases, including those of people whom no source knows any more. Needs `superadmin`. */
export const listSourceAliases = /* @__PURE__ */ call<ListSourceAliasesRequestJson, ListSourceAliasesResponseJson>("GET", "/api/v1/source-aliases");

/**
 * Lists who may read a document at its source. The caller must be able to read the document and manage its connector.
 * Empty if only the scope of the connector decides. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listDocumentReaders = /* @__PURE__ */ call<ListDocumentReadersRequestJson, ListDocumentReadersResponseJson, "documentId">("GET", "/api/v1/documents/{documentId}/readers");
