// Generated from echomind/public/v1/usage_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { GetUsageRequestJson, GetUsageResponseJson } from "./usage_service_pb.js";

/** Sums the usage of a time. Everyone reads their own, `admin` that of all. */
export const getUsage = /* @__PURE__ */ call<GetUsageRequestJson, GetUsageResponseJson>("GET", "/api/v1/usage");
