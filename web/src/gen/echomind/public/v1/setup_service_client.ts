// Generated from echomind/public/v1/setup_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SetupJson } from "./setup_pb.js";
import type { UpdateSetupRequestJson } from "./setup_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Reads the caller's steps. Whether one is done is computed at each call. */
export const getSetup = /* @__PURE__ */ call<EmptyJson, SetupJson>("GET", "/api/v1/setup");

/** Updates `skipped` and `is_hidden`. */
export const updateSetup = /* @__PURE__ */ call<Omit<UpdateSetupRequestJson, "updateMask">, SetupJson>("PATCH", "/api/v1/setup", "setup");
