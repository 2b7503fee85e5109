// Generated from echomind/public/v1/system_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AboutJson, InstallationSettingsJson, SystemHealthJson } from "./system_pb.js";
import type { CheckStorageRequestJson, CheckStorageResponseJson, UpdateInstallationSettingsRequestJson } from "./system_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Looks at everything that the installation is made of. Needs `admin`. */
export const getSystemHealth = /* @__PURE__ */ call<EmptyJson, SystemHealthJson>("GET", "/api/v1/system/health");

/** Says which version runs, and which packages it is made with. */
export const getAbout = /* @__PURE__ */ call<EmptyJson, AboutJson>("GET", "/api/v1/system/about");

/** Reads what superadmins have set for everybody. */
export const getInstallationSettings = /* @__PURE__ */ call<EmptyJson, InstallationSettingsJson>("GET", "/api/v1/system/settings");

/** Changes settings. Needs `superadmin`; audited. */
export const updateInstallationSettings = /* @__PURE__ */ call<Omit<UpdateInstallationSettingsRequestJson, "updateMask">, InstallationSettingsJson>("PATCH", "/api/v1/system/settings", "settings");

/**
 * Compares what is stored, a page at a time: each document with its bytes, its text and its chunks, then files and
 * chunks that no document names. What waits or is being processed is left out. Needs `superadmin`.
 * Errors: DEPENDENCY_UNAVAILABLE.
 */
export const checkStorage = /* @__PURE__ */ call<CheckStorageRequestJson, CheckStorageResponseJson>("GET", "/api/v1/system/storage:check");
