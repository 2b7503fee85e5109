// Generated from echomind/public/v1/group_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { GroupJson } from "./group_pb.js";
import type { AddGroupMembersRequestJson, CreateGroupRequestJson, DeleteGroupRequestJson, GetGroupRequestJson, ListGroupsRequestJson, ListGroupsResponseJson, RemoveGroupMembersRequestJson, UpdateGroupRequestJson } from "./group_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists groups by name. Needs `admin`. */
export const listGroups = /* @__PURE__ */ call<ListGroupsRequestJson, ListGroupsResponseJson>("GET", "/api/v1/groups");

/** Reads one group. Needs `admin`. Errors: NOT_FOUND. */
export const getGroup = /* @__PURE__ */ call<GetGroupRequestJson, GroupJson, "id">("GET", "/api/v1/groups/{id}");

/**
 * Creates a group without members. Needs `superadmin`; a key needs the scope `administer`. Errors: ALREADY_EXISTS,
 * PERMISSION_DENIED.
 */
export const createGroup = /* @__PURE__ */ call<CreateGroupRequestJson, GroupJson>("POST", "/api/v1/groups", "group");

/**
 * Updates a group's `description`. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
 * PERMISSION_DENIED, VALIDATION_FAILED (`name` is immutable).
 */
export const updateGroup = /* @__PURE__ */ call<Omit<UpdateGroupRequestJson, "updateMask">, GroupJson, "id">("PATCH", "/api/v1/groups/{id}", "group");

/**
 * Deletes a group and all its memberships. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
 * PERMISSION_DENIED, VALIDATION_FAILED (connectors are shared with it).
 */
export const deleteGroup = /* @__PURE__ */ call<DeleteGroupRequestJson, EmptyJson, "id">("DELETE", "/api/v1/groups/{id}");

/**
 * Adds accounts to a group; existing members stay. Needs `superadmin`; a key needs the scope `administer` and no
 * expiry. Errors: NOT_FOUND (the group, or one of the accounts: then none is added), PERMISSION_DENIED.
 */
export const addGroupMembers = /* @__PURE__ */ call<AddGroupMembersRequestJson, GroupJson, "id">("POST", "/api/v1/groups/{id}/members:add", "*");

/**
 * Removes accounts from a group: they lose access to its connectors within a minute. Needs `superadmin`; a key needs
 * the scope `administer`. Errors: NOT_FOUND (the group, or one of the accounts), INVALID_ARGUMENT (a provider or a
 * SCIM client gives one of the memberships), PERMISSION_DENIED.
 */
export const removeGroupMembers = /* @__PURE__ */ call<RemoveGroupMembersRequestJson, GroupJson, "id">("POST", "/api/v1/groups/{id}/members:remove", "*");
