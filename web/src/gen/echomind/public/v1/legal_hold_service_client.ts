// Generated from echomind/public/v1/legal_hold_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { LegalHoldJson } from "./legal_hold_pb.js";
import type { CreateLegalHoldRequestJson, ListLegalHoldsRequestJson, ListLegalHoldsResponseJson, ReleaseLegalHoldRequestJson } from "./legal_hold_service_pb.js";

/** Lists the holds, the newest first. Needs `superadmin`; audited. */
export const listLegalHolds = /* @__PURE__ */ call<ListLegalHoldsRequestJson, ListLegalHoldsResponseJson>("GET", "/api/v1/legal-holds");

/**
 * Places a hold on a person or on a conversation. Needs `superadmin`; audited. Errors: NOT_FOUND, VALIDATION_FAILED
 * (neither or both are named).
 */
export const createLegalHold = /* @__PURE__ */ call<CreateLegalHoldRequestJson, LegalHoldJson>("POST", "/api/v1/legal-holds", "legalHold");

/**
 * Releases a hold: what it held is deleted from now on as rules and people say. A hold that is released stays listed.
 * Needs `superadmin`; audited. Errors: NOT_FOUND.
 */
export const releaseLegalHold = /* @__PURE__ */ call<ReleaseLegalHoldRequestJson, LegalHoldJson, "id">("POST", "/api/v1/legal-holds/{id}:release", "*");
