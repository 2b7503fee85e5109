// Generated from echomind/public/v1/user_service.proto by tools/typescript_client.py. Do not edit.

import { call, stream } from "@/api/call";
import type { UserEventJson } from "./user_event_pb.js";
import type { UserJson } from "./user_pb.js";
import type { CreateUserRequestJson, GetUserRequestJson, ListUserAccessRequestJson, ListUserAccessResponseJson, ListUsersRequestJson, ListUsersResponseJson, PurgeUserRequestJson, SetEmailVerifiedRequestJson, SignOutUserRequestJson, StreamUserEventsRequestJson, UpdateCurrentUserRequestJson, UpdateUserRequestJson } from "./user_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Reads the caller's own profile. */
export const getCurrentUser = /* @__PURE__ */ call<EmptyJson, UserJson>("GET", "/api/v1/users/me");

/**
 * Streams what changes for the caller, so that clients can refresh lists: the first event is RESYNC, then one for
 * each changed item; several changes of an item may be one event. The stream stays open as that of
 * StreamSessionEvents. Errors: UNAUTHENTICATED (the credential has expired), DEPENDENCY_UNAVAILABLE (EchoMind stops:
 * connect again), OVERLOADED (too many open streams).
 */
export const streamUserEvents = /* @__PURE__ */ stream<StreamUserEventsRequestJson, UserEventJson>("GET", "/api/v1/users/me/events");

/** Updates the caller's own profile: `first_name`, `last_name`, `preferences`. */
export const updateCurrentUser = /* @__PURE__ */ call<Omit<UpdateCurrentUserRequestJson, "updateMask">, UserJson>("PATCH", "/api/v1/users/me", "user");

/** Lists accounts, filtered and sorted. Needs `admin`. */
export const listUsers = /* @__PURE__ */ call<ListUsersRequestJson, ListUsersResponseJson>("GET", "/api/v1/users");

/**
 * Lists what a person sees in their own lists, by the same rules: connectors, documents, assistants, notebooks,
 * knowledge. It shows names and no contents, changes nothing, and is in the audit log. A deactivated person sees
 * nothing. Needs `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listUserAccess = /* @__PURE__ */ call<ListUserAccessRequestJson, ListUserAccessResponseJson, "id">("GET", "/api/v1/users/{id}/access");

/** Reads an account: the caller's own, or with `admin` any. */
export const getUser = /* @__PURE__ */ call<GetUserRequestJson, UserJson, "id">("GET", "/api/v1/users/{id}");

/**
 * Creates an account, in local mode. Needs `superadmin`; a key needs the scope `administer` and no expiry. Errors:
 * ALREADY_EXISTS, AUTH_MODE, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`,
 * `lasting_credential`).
 */
export const createUser = /* @__PURE__ */ call<CreateUserRequestJson, UserJson>("POST", "/api/v1/users", "user");

/**
 * Updates an account: names, `roles`, `groups`, `is_active`. Needs `superadmin`; a key needs the scope `administer`.
 * A key that expires cannot add a role or group, change the user name or e-mail address, or activate an account, as
 * these changes would outlast it. Errors: ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED (metadata `required`:
 * `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED.
 */
export const updateUser = /* @__PURE__ */ call<Omit<UpdateUserRequestJson, "updateMask">, UserJson, "id">("PATCH", "/api/v1/users/{id}", "user");

/**
 * Signs a user out everywhere: ends the account's web sessions, sign-in links and password links. Needs `superadmin`;
 * a key needs the scope `administer`; audited. Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`:
 * `superadmin`, `administer`).
 */
export const signOutUser = /* @__PURE__ */ call<SignOutUserRequestJson, EmptyJson, "id">("POST", "/api/v1/users/{id}:signOut", "*");

/**
 * Sets whether an account's e-mail address is verified. A verified address gives the user access here to what its
 * owner may read at a source. Needs `superadmin`; a key needs the scope `administer`; audited. Errors: NOT_FOUND,
 * PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`).
 */
export const setEmailVerified = /* @__PURE__ */ call<SetEmailVerifiedRequestJson, UserJson, "id">("POST", "/api/v1/users/{id}:setEmailVerified", "*");

/**
 * Deletes an account permanently, with its keys, sign-ins, memories and feedback and all of its conversations, whose
 * runs are cancelled first. Its private connectors are removed with their documents, which are deleted in the
 * background; connectors that it shares are transferred to the caller. A response does not mean that it is done: what
 * takes longer than some seconds continues, and something may prevent it, such as a legal hold placed meanwhile; the
 * account is inactive at once. ListErasures has how far it is, and EraseUser returns it. Needs `superadmin`; a key
 * needs the scope `administer`; audited. Errors: NOT_FOUND, VALIDATION_FAILED (it is the caller's own account, or the
 * last active superadmin), DELETION_HELD (a legal hold is on the person or on something of theirs).
 */
export const purgeUser = /* @__PURE__ */ call<PurgeUserRequestJson, EmptyJson, "id">("POST", "/api/v1/users/{id}:purge", "*");
