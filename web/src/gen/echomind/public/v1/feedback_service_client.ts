// Generated from echomind/public/v1/feedback_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { FeedbackRatesJson, GetFeedbackRatesRequestJson, ListFeedbackRequestJson, ListFeedbackResponseJson } from "./feedback_service_pb.js";

/** Lists the feedback of all users, newest first. Needs `superadmin`; audited, as it shows their questions. */
export const listFeedback = /* @__PURE__ */ call<ListFeedbackRequestJson, ListFeedbackResponseJson>("GET", "/api/v1/feedback");

/** Counts ratings of answers and passages by assistant, chat model and source. Needs `superadmin`. */
export const getFeedbackRates = /* @__PURE__ */ call<GetFeedbackRatesRequestJson, FeedbackRatesJson>("GET", "/api/v1/feedback/rates");
