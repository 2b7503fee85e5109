// Generated from echomind/public/v1/system_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AboutJson, SystemHealthJson } from "./system_pb.js";
import type { CheckStorageRequestJson, CheckStorageResponseJson } from "./system_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Looks at everything that the installation is made of. Needs `admin`. */
export const getSystemHealth = /* @__PURE__ */ call<EmptyJson, SystemHealthJson>("GET", "/api/v1/system/health");

/** Says which version runs, and which packages it is made with. */
export const getAbout = /* @__PURE__ */ call<EmptyJson, AboutJson>("GET", "/api/v1/system/about");

/**
 * Compares what is stored, a page at a time: each document with its bytes, its text and its chunks, then files and
 * chunks that no document names. What waits or is being processed is left out. Needs `superadmin`.
 * Errors: DEPENDENCY_UNAVAILABLE.
 */
export const checkStorage = /* @__PURE__ */ call<CheckStorageRequestJson, CheckStorageResponseJson>("GET", "/api/v1/system/storage:check");
