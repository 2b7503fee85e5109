// Generated from echomind/public/v1/dead_letter_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DeadLetterJson } from "./dead_letter_pb.js";
import type { DiscardDeadLetterRequestJson, GetDeadLetterRequestJson, ListDeadLettersRequestJson, ListDeadLettersResponseJson, ReplayDeadLetterRequestJson } from "./dead_letter_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists dead letters, the newest jobs first. Needs `superadmin`. */
export const listDeadLetters = /* @__PURE__ */ call<ListDeadLettersRequestJson, ListDeadLettersResponseJson>("GET", "/api/v1/dead-letters");

/**
 * Reads one dead letter. Needs `superadmin`. Errors: NOT_FOUND (also for a job that did not fail, and for one that was
 * discarded).
 */
export const getDeadLetter = /* @__PURE__ */ call<GetDeadLetterRequestJson, DeadLetterJson, "id">("GET", "/api/v1/dead-letters/{id}");

/**
 * Puts a dead letter back into its queue, with all its attempts; a job that is waiting, running or completed already is
 * left as it is, so that repeating the call has no effect. Needs `superadmin`; audited. Errors: NOT_FOUND (there is no
 * such job, or it was discarded).
 */
export const replayDeadLetter = /* @__PURE__ */ call<ReplayDeadLetterRequestJson, EmptyJson, "id">("POST", "/api/v1/dead-letters/{id}:replay", "*");

/**
 * Takes a dead letter off the list: its job stays undone until something requests it again. Repeating the call has no
 * effect. Needs `superadmin`; audited. Errors: NOT_FOUND (no such job has failed).
 */
export const discardDeadLetter = /* @__PURE__ */ call<DiscardDeadLetterRequestJson, EmptyJson, "id">("POST", "/api/v1/dead-letters/{id}:discard", "*");
