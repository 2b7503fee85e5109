// Generated from echomind/public/v1/user_service.proto by tools/typescript_client.py. Do not edit.

import { call, stream } from "@/api/call";
import type { UserEventJson } from "./user_event_pb.js";
import type { UserJson } from "./user_pb.js";
import type { CreateUserRequestJson, GetUserRequestJson, ListUsersRequestJson, ListUsersResponseJson, PurgeUserRequestJson, SetEmailVerifiedRequestJson, SignOutUserRequestJson, StreamUserEventsRequestJson, UpdateCurrentUserRequestJson, UpdateUserRequestJson } from "./user_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Reads the caller's own profile. */
export const getCurrentUser = /* @__PURE__ */ call<EmptyJson, UserJson>("GET", "/api/v1/users/me");

/**
 * Streams what changes for the caller, so that lists can be read again: the first event is RESYNC, then one for each
 * thing that changed; several changes of a thing may be one event. Lasts as StreamSessionEvents does. Errors:
 * UNAUTHENTICATED (the credential has ended), DEPENDENCY_UNAVAILABLE (EchoMind stops: connect again), OVERLOADED (too
 * many streams are open).
 */
export const streamUserEvents = /* @__PURE__ */ stream<StreamUserEventsRequestJson, UserEventJson>("GET", "/api/v1/users/me/events");

/** Changes the caller's own profile: `first_name`, `last_name`, `preferences`. */
export const updateCurrentUser = /* @__PURE__ */ call<Omit<UpdateCurrentUserRequestJson, "updateMask">, UserJson>("PATCH", "/api/v1/users/me", "user");

/** Lists accounts, filtered and in the order that is asked for. Needs `admin`. */
export const listUsers = /* @__PURE__ */ call<ListUsersRequestJson, ListUsersResponseJson>("GET", "/api/v1/users");

/** Reads one account: one's own, or any with `admin`. */
export const getUser = /* @__PURE__ */ call<GetUserRequestJson, UserJson, "id">("GET", "/api/v1/users/{id}");

/**
 * Creates an account in local mode. Needs `superadmin`, and with a key the scope `administer` and no expiry.
 * Errors: ALREADY_EXISTS, AUTH_MODE, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`,
 * `lasting_credential`).
 */
export const createUser = /* @__PURE__ */ call<CreateUserRequestJson, UserJson>("POST", "/api/v1/users", "user");

/**
 * Changes an account: names, `roles`, `groups`, `is_active`. Needs `superadmin`, and with a key the scope
 * `administer`. A key that expires gives no account a role, a group, another name or e-mail address, or its sign-in
 * back, as these would outlast it.
 * Errors: ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`,
 * `lasting_credential`), VALIDATION_FAILED.
 */
export const updateUser = /* @__PURE__ */ call<Omit<UpdateUserRequestJson, "updateMask">, UserJson, "id">("PATCH", "/api/v1/users/{id}", "user");

/**
 * Signs a person out everywhere: ends the account's web sessions, its sign-in links and its password links. Needs
 * `superadmin`, and with a key the scope `administer`; audited.
 * Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`).
 */
export const signOutUser = /* @__PURE__ */ call<SignOutUserRequestJson, EmptyJson, "id">("POST", "/api/v1/users/{id}:signOut", "*");

/**
 * Sets whether an account's e-mail address is known to be its person's. What people may read at a source, they read
 * here by a verified address. Needs `superadmin`, and with a key the scope `administer`; audited.
 * Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`).
 */
export const setEmailVerified = /* @__PURE__ */ call<SetEmailVerifiedRequestJson, UserJson, "id">("POST", "/api/v1/users/{id}:setEmailVerified", "*");

/**
 * Deletes an account for good, with its keys, sign-ins, memories and feedback and all of its conversations, whose runs
 * are cancelled first. Its private connectors are removed with their documents, which are deleted in the background;
 * connectors that it shares go to the caller. Needs `superadmin`, and with a key the scope `administer`; audited.
 * Errors: NOT_FOUND, VALIDATION_FAILED (it is your own account, or the last active superadmin).
 */
export const purgeUser = /* @__PURE__ */ call<PurgeUserRequestJson, EmptyJson, "id">("POST", "/api/v1/users/{id}:purge", "*");
