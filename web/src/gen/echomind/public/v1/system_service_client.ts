// Generated from echomind/public/v1/system_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AboutJson, SystemHealthJson } from "./system_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Looks at everything that the installation is made of. Needs `admin`. */
export const getSystemHealth = /* @__PURE__ */ call<EmptyJson, SystemHealthJson>("GET", "/api/v1/system/health");

/** Says which version runs, and which packages it is made with. */
export const getAbout = /* @__PURE__ */ call<EmptyJson, AboutJson>("GET", "/api/v1/system/about");
