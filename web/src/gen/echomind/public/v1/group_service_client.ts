// Generated from echomind/public/v1/group_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { GroupJson, GroupMemberJson } from "./group_pb.js";
import type { AddGroupMembersRequestJson, CreateGroupRequestJson, DeleteGroupRequestJson, GetGroupRequestJson, ListGroupMembersRequestJson, ListGroupMembersResponseJson, ListGroupsRequestJson, ListGroupsResponseJson, RemoveGroupMembersRequestJson, SetGroupAdminRequestJson, UpdateGroupRequestJson } from "./group_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists groups by name: all for the role `admin`, otherwise those that the caller is an admin of. */
export const listGroups = /* @__PURE__ */ call<ListGroupsRequestJson, ListGroupsResponseJson>("GET", "/api/v1/groups");

/** Reads one group. Needs the role `admin`, or an admin of the group. Errors: NOT_FOUND. */
export const getGroup = /* @__PURE__ */ call<GetGroupRequestJson, GroupJson, "id">("GET", "/api/v1/groups/{id}");

/**
 * Creates a group without members. Needs `superadmin`; a key needs the scope `administer`. Errors: ALREADY_EXISTS,
 * PERMISSION_DENIED.
 */
export const createGroup = /* @__PURE__ */ call<CreateGroupRequestJson, GroupJson>("POST", "/api/v1/groups", "group");

/**
 * Updates a group's `display_name` and `description`. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
 * PERMISSION_DENIED, VALIDATION_FAILED (`name` is immutable).
 */
export const updateGroup = /* @__PURE__ */ call<Omit<UpdateGroupRequestJson, "updateMask">, GroupJson, "id">("PATCH", "/api/v1/groups/{id}", "group");

/**
 * Deletes a group and all its memberships. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
 * PERMISSION_DENIED, VALIDATION_FAILED (connectors, assistants or datasets are shared with it, service
 * accounts belong to it, or it has quotas).
 */
export const deleteGroup = /* @__PURE__ */ call<DeleteGroupRequestJson, EmptyJson, "id">("DELETE", "/api/v1/groups/{id}");

/**
 * Adds accounts to a group; existing members stay. Needs `superadmin`, or an admin of the group, who names people by
 * `user_names`, and service accounts only if they manage them; a key needs the scope `administer` and no expiry. Errors: NOT_FOUND (the group, or one of the accounts:
 * then none is added), PERMISSION_DENIED, VALIDATION_FAILED (nobody is named).
 */
export const addGroupMembers = /* @__PURE__ */ call<AddGroupMembersRequestJson, GroupJson, "id">("POST", "/api/v1/groups/{id}/members:add", "*");

/**
 * Removes accounts from a group: they lose access to its connectors within a minute, and are no admins of it any more.
 * Needs `superadmin`, or an admin of the group; a key needs the scope `administer`. Errors: NOT_FOUND (the group, or
 * one of the accounts), INVALID_ARGUMENT (a provider or a SCIM client gives one of the memberships; a service account
 * belongs to the group), PERMISSION_DENIED.
 */
export const removeGroupMembers = /* @__PURE__ */ call<RemoveGroupMembersRequestJson, GroupJson, "id">("POST", "/api/v1/groups/{id}/members:remove", "*");

/**
 * Lists the members of a group by user name, with the sources of each membership. Needs the role `admin`, or an admin
 * of the group. Errors: NOT_FOUND.
 */
export const listGroupMembers = /* @__PURE__ */ call<ListGroupMembersRequestJson, ListGroupMembersResponseJson, "id">("GET", "/api/v1/groups/{id}/members");

/**
 * Makes a member an admin of their group, or no admin any more. Needs `superadmin`; a key needs the scope `administer`
 * and no expiry. Errors: NOT_FOUND (the group, or such a member), PERMISSION_DENIED, VALIDATION_FAILED (the member is
 * a service account).
 */
export const setGroupAdmin = /* @__PURE__ */ call<SetGroupAdminRequestJson, GroupMemberJson, "id">("POST", "/api/v1/groups/{id}/members:setAdmin", "*");
