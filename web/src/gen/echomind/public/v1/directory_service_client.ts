// Generated from echomind/public/v1/directory_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SearchDirectoryRequestJson, SearchDirectoryResponseJson } from "./directory_service_pb.js";

/**
 * Finds active people by a part of their name or user name, or by their whole e-mail address, and groups by a part of
 * their name; at most 20 of each, those whose name begins with the text first. Everybody finds the groups that they
 * are in, and superadmins all. The setting `auth.directory` decides whom users find: everyone, or people of their
 * groups and those whom they name in full. Admins find everyone, also by a part of the address. The caller is not
 * listed.
 */
export const searchDirectory = /* @__PURE__ */ call<SearchDirectoryRequestJson, SearchDirectoryResponseJson>("GET", "/api/v1/directory");
