// Generated from echomind/public/v1/quota_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { QuotaJson } from "./quota_pb.js";
import type { CreateQuotaRequestJson, DeleteQuotaRequestJson, GetQuotaRequestJson, ListQuotaUsageRequestJson, ListQuotaUsageResponseJson, ListQuotasRequestJson, ListQuotasResponseJson, UpdateQuotaRequestJson } from "./quota_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the quotas, oldest first. Needs `admin`. */
export const listQuotas = /* @__PURE__ */ call<ListQuotasRequestJson, ListQuotasResponseJson>("GET", "/api/v1/quotas");

/** Reads one quota. Needs `admin`. Errors: NOT_FOUND. */
export const getQuota = /* @__PURE__ */ call<GetQuotaRequestJson, QuotaJson, "id">("GET", "/api/v1/quotas/{id}");

/**
 * Creates a quota; it holds from the next run on. Errors: ALREADY_EXISTS (for the same people and period), NOT_FOUND (the
 * group or the person), VALIDATION_FAILED (no limit, one of
 * another period, or a scope without its group or person).
 */
export const createQuota = /* @__PURE__ */ call<CreateQuotaRequestJson, QuotaJson>("POST", "/api/v1/quotas", "quota");

/**
 * Updates the limits of a quota; what was used stays. Errors: NOT_FOUND, VALIDATION_FAILED (no limit, one of another
 * period, or another field).
 */
export const updateQuota = /* @__PURE__ */ call<Omit<UpdateQuotaRequestJson, "updateMask">, QuotaJson, "id">("PATCH", "/api/v1/quotas/{id}", "quota");

/** Deletes a quota. Errors: NOT_FOUND. */
export const deleteQuota = /* @__PURE__ */ call<DeleteQuotaRequestJson, EmptyJson, "id">("DELETE", "/api/v1/quotas/{id}");

/**
 * Lists what is used of the limits that bind a person: their own allowance, then those of the organization and of their
 * groups, then those of the calling key and of the keys that it was created with; of each period, and what is done at a
 * time last. Another person's need `admin`. Errors: NOT_FOUND (the person), PERMISSION_DENIED.
 */
export const listQuotaUsage = /* @__PURE__ */ call<ListQuotaUsageRequestJson, ListQuotaUsageResponseJson>("GET", "/api/v1/quota-usage");
