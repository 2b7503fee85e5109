// Generated from echomind/public/v1/system_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AboutJson, InstallationSettingsJson, SystemHealthJson } from "./system_pb.js";
import type { CheckStorageRequestJson, CheckStorageResponseJson, UpdateInstallationSettingsRequestJson } from "./system_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Checks all components of the installation. Needs `admin`. */
export const getSystemHealth = /* @__PURE__ */ call<EmptyJson, SystemHealthJson>("GET", "/api/v1/system/health");

/** Returns the version and the packages that it uses. */
export const getAbout = /* @__PURE__ */ call<EmptyJson, AboutJson>("GET", "/api/v1/system/about");

/** Reads the settings of the installation. */
export const getInstallationSettings = /* @__PURE__ */ call<EmptyJson, InstallationSettingsJson>("GET", "/api/v1/system/settings");

/** Updates settings. Needs `superadmin`; audited. */
export const updateInstallationSettings = /* @__PURE__ */ call<Omit<UpdateInstallationSettingsRequestJson, "updateMask">, InstallationSettingsJson>("PATCH", "/api/v1/system/settings", "settings");

/**
 * Checks the consistency of stored data, a page at a time: each document with its file, its text and its chunks, then
 * files and chunks without a document. Documents that are queued or being processed are skipped. Needs `superadmin`.
 * Errors: DEPENDENCY_UNAVAILABLE.
 */
export const checkStorage = /* @__PURE__ */ call<CheckStorageRequestJson, CheckStorageResponseJson>("GET", "/api/v1/system/storage:check");
