// Generated from echomind/public/v1/retention_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { RetentionRuleJson } from "./retention_rule_pb.js";
import type { ListRetentionRulesResponseJson, PreviewRetentionRuleRequestJson, PreviewRetentionRuleResponseJson, SetRetentionRuleRequestJson } from "./retention_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the rules, one for each kind of data. Needs `superadmin`. */
export const listRetentionRules = /* @__PURE__ */ call<EmptyJson, ListRetentionRulesResponseJson>("GET", "/api/v1/retention-rules");

/** Counts what would be deleted now if data was kept for so many days. Needs `superadmin`. */
export const previewRetentionRule = /* @__PURE__ */ call<PreviewRetentionRuleRequestJson, PreviewRetentionRuleResponseJson>("GET", "/api/v1/retention-rules:preview");

/** Sets how long data is kept. What is older is deleted permanently within an hour. Needs `superadmin`; audited. */
export const setRetentionRule = /* @__PURE__ */ call<SetRetentionRuleRequestJson, RetentionRuleJson>("POST", "/api/v1/retention-rules:set", "*");
