// Generated from echomind/public/v1/device_sign_in_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DeviceSignInJson } from "./device_sign_in_pb.js";
import type { CompleteDeviceSignInRequestJson, CompleteDeviceSignInResponseJson, DecideDeviceSignInRequestJson, FindDeviceSignInRequestJson, StartDeviceSignInRequestJson, StartDeviceSignInResponseJson } from "./device_sign_in_service_pb.js";

/** Starts a sign-in. Requires no authentication. Errors: OVERLOADED. */
export const startDeviceSignIn = /* @__PURE__ */ call<StartDeviceSignInRequestJson, StartDeviceSignInResponseJson>("POST", "/api/v1/device-sign-ins", "*");

/**
 * Returns whether a sign-in was approved, and then its API key, once. Requires no authentication but the device code.
 * Errors: OVERLOADED, UNAUTHENTICATED (the device code is unknown, used or expired).
 */
export const completeDeviceSignIn = /* @__PURE__ */ call<CompleteDeviceSignInRequestJson, CompleteDeviceSignInResponseJson>("POST", "/api/v1/device-sign-ins:complete", "*");

/**
 * Returns the sign-in whose code the caller has typed. Only in a web session. After 5 wrong codes, here and in
 * DecideDeviceSignIn, the account can enter none for 10 minutes. Errors: NOT_FOUND, OVERLOADED, PERMISSION_DENIED
 * (metadata `required`: `web_session`).
 */
export const findDeviceSignIn = /* @__PURE__ */ call<FindDeviceSignInRequestJson, DeviceSignInJson>("POST", "/api/v1/device-sign-ins:find", "*");

/**
 * Approves or denies a sign-in; the code is then used up. If the scope `administer` is requested, the web session must
 * have been signed in within the last 10 minutes. Errors: as FindDeviceSignIn, and PERMISSION_DENIED (metadata
 * `required`: `recent_sign_in`).
 */
export const decideDeviceSignIn = /* @__PURE__ */ call<DecideDeviceSignInRequestJson, DeviceSignInJson>("POST", "/api/v1/device-sign-ins:decide", "*");
