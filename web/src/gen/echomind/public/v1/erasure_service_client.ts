// Generated from echomind/public/v1/erasure_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ErasureJson } from "./erasure_pb.js";
import type { EraseUserRequestJson, ListErasuresRequestJson, ListErasuresResponseJson, PreviewErasureRequestJson } from "./erasure_service_pb.js";

/** Lists the reports of erased people, also of erasures that are not completed, the newest first. Needs `superadmin`. */
export const listErasures = /* @__PURE__ */ call<ListErasuresRequestJson, ListErasuresResponseJson>("GET", "/api/v1/erasures");

/** Counts what an erasure would delete, hand over and keep. Needs `superadmin`; audited. Errors: NOT_FOUND. */
export const previewErasure = /* @__PURE__ */ call<PreviewErasureRequestJson, ErasureJson, "userId">("GET", "/api/v1/users/{userId}/erasure");

/**
 * Erases a person: deletes the account with all that belongs to it, as PurgeUser does, and reports what was deleted,
 * handed over and kept. What takes longer than some seconds continues after the response, in the state
 * ERASURE_STATE_RUNNING; an interrupted erasure is continued within two minutes. Asking again waits for a running
 * one. Activating the account cancels it. Files and passages of private documents, and vectors of memories, are
 * deleted in the background. Needs `superadmin`; audited. Errors: NOT_FOUND, VALIDATION_FAILED (it is the caller's
 * own account, or the last active superadmin), DELETION_HELD (a legal hold is on the person or on something of
 * theirs).
 */
export const eraseUser = /* @__PURE__ */ call<EraseUserRequestJson, ErasureJson, "userId">("POST", "/api/v1/users/{userId}:erase", "*");
