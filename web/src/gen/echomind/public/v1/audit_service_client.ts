// Generated from echomind/public/v1/audit_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ListAuditEntriesRequestJson, ListAuditEntriesResponseJson, VerifyAuditLogRequestJson, VerifyAuditLogResponseJson } from "./audit_service_pb.js";

/**
 * Lists entries, newest first. Needs `superadmin`; audited.
 *
 * With `oldest_first`, pages are complete and stable while entries are written: none that belongs before
 * `through_id` comes later, so that an export continues with `after_id` where it ended.
 */
export const listAuditEntries = /* @__PURE__ */ call<ListAuditEntriesRequestJson, ListAuditEntriesResponseJson>("GET", "/api/v1/audit-entries");

/**
 * Verifies seals and the entries under them, some at a time: call it again with `next_seal` until that is 0. Needs
 * `superadmin`; audited.
 */
export const verifyAuditLog = /* @__PURE__ */ call<VerifyAuditLogRequestJson, VerifyAuditLogResponseJson>("GET", "/api/v1/audit-entries:verify");
