// Generated from echomind/public/v1/auth_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { PasswordLinkJson, SignInLinkJson, SignInOptionsJson } from "./auth_pb.js";
import type { CreatePasswordLinkRequestJson, CreateSignInLinkRequestJson, SetPasswordRequestJson } from "./auth_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Returns how users can sign in. Requires no authentication. */
export const getSignInOptions = /* @__PURE__ */ call<EmptyJson, SignInOptionsJson>("GET", "/api/v1/auth/options");

/**
 * Creates a one-time sign-in link for an account, in local mode: for the caller, or for anyone with `superadmin`. A
 * key needs the scope `administer`. Errors: AUTH_MODE, NOT_FOUND, PERMISSION_DENIED.
 */
export const createSignInLink = /* @__PURE__ */ call<CreateSignInLinkRequestJson, SignInLinkJson>("POST", "/api/v1/auth/links", "*");

/**
 * Creates a one-time link with which the user of an account sets a new password and is signed in, in local mode. The
 * earlier password works until then. Needs `superadmin`; a key needs the scope `administer` and no expiry; for the
 * caller's own account the web session must have been signed in within the last 10 minutes. Errors: AUTH_MODE,
 * NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`,
 * `recent_sign_in`).
 */
export const createPasswordLink = /* @__PURE__ */ call<CreatePasswordLinkRequestJson, PasswordLinkJson>("POST", "/api/v1/auth/password-links", "*");

/**
 * Sets the caller's own password, in local mode. A key needs the scope `administer`. The current password is
 * required, except in a web session that was signed in within the last 10 minutes; if the account has no password,
 * such a session is required. Ends the caller's other web sessions and all sign-in links. Errors: AUTH_MODE,
 * OVERLOADED, PERMISSION_DENIED (metadata `required`: `administer`, `lasting_credential`, `current_password`,
 * `recent_sign_in`).
 */
export const setPassword = /* @__PURE__ */ call<SetPasswordRequestJson, EmptyJson>("POST", "/api/v1/auth/password", "*");
