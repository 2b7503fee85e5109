// Generated from echomind/public/v1/usage_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { GetUsageRequestJson, GetUsageResponseJson } from "./usage_service_pb.js";

/** Returns the usage in a period. Users read their own, `admin` that of everyone. */
export const getUsage = /* @__PURE__ */ call<GetUsageRequestJson, GetUsageResponseJson>("GET", "/api/v1/usage");
