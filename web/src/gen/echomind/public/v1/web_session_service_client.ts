// Generated from echomind/public/v1/web_session_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DeleteWebSessionRequestJson, ListWebSessionsRequestJson, ListWebSessionsResponseJson } from "./web_session_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's web sessions, newest first. */
export const listWebSessions = /* @__PURE__ */ call<ListWebSessionsRequestJson, ListWebSessionsResponseJson>("GET", "/api/v1/web-sessions");

/**
 * Signs out one of the caller's browsers. A key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED
 * (metadata `required`: `administer`).
 */
export const deleteWebSession = /* @__PURE__ */ call<DeleteWebSessionRequestJson, EmptyJson, "id">("DELETE", "/api/v1/web-sessions/{id}");

/**
 * Signs out all of the caller's browsers except that of this call, and ends all sign-in links of the caller. A key
 * needs the scope `administer`. Errors: PERMISSION_DENIED (metadata `required`: `administer`).
 */
export const deleteOtherWebSessions = /* @__PURE__ */ call<EmptyJson, EmptyJson>("POST", "/api/v1/web-sessions:deleteOthers", "*");
