// Generated from echomind/public/v1/web_session_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DeleteWebSessionRequestJson, ListWebSessionsRequestJson, ListWebSessionsResponseJson } from "./web_session_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's sessions, the newest first. */
export const listWebSessions = /* @__PURE__ */ call<ListWebSessionsRequestJson, ListWebSessionsResponseJson>("GET", "/api/v1/web-sessions");

/**
 * Signs one of the caller's browsers out. With a key it takes the scope `administer`.
 * Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`: `administer`).
 */
export const deleteWebSession = /* @__PURE__ */ call<DeleteWebSessionRequestJson, EmptyJson, "id">("DELETE", "/api/v1/web-sessions/{id}");

/**
 * Signs all of the caller's browsers out but the one of this call, and ends all sign-in links of the caller. With a
 * key it takes the scope `administer`. Errors: PERMISSION_DENIED (metadata `required`: `administer`).
 */
export const deleteOtherWebSessions = /* @__PURE__ */ call<EmptyJson, EmptyJson>("POST", "/api/v1/web-sessions:deleteOthers", "*");
