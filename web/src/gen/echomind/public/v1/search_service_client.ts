// Generated from echomind/public/v1/search_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SearchRequestJson, SearchResponseJson } from "./search_service_pb.js";

/** Searches passages, best first. Errors: NOT_FOUND (`notebook_id`), DEPENDENCY_UNAVAILABLE. */
export const search = /* @__PURE__ */ call<SearchRequestJson, SearchResponseJson>("POST", "/api/v1/search", "*");
