// Generated from echomind/public/v1/knowledge_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { KnowledgeEntityJson, KnowledgeReviewJson } from "./knowledge_pb.js";
import type { ApproveKnowledgeRequestJson, CreateKnowledgeRequestJson, DeleteKnowledgeFeedbackRequestJson, DeleteKnowledgeRequestJson, GetKnowledgeRequestJson, GetKnowledgeReviewRequestJson, ListKnowledgeFeedbackRequestJson, ListKnowledgeFeedbackResponseJson, ListKnowledgeProposalsRequestJson, ListKnowledgeProposalsResponseJson, ListKnowledgeRequestJson, ListKnowledgeResponseJson, ProposeKnowledgeRequestJson, RejectKnowledgeRequestJson, SearchKnowledgeRequestJson, SearchKnowledgeResponseJson, SetKnowledgeFeedbackRequestJson, UpdateKnowledgeRequestJson, VerifyKnowledgeRequestJson, WithdrawKnowledgeRequestJson } from "./knowledge_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists entities that the caller may read. */
export const listKnowledge = /* @__PURE__ */ call<ListKnowledgeRequestJson, ListKnowledgeResponseJson>("GET", "/api/v1/knowledge");

/** Reads one entity. Errors: NOT_FOUND. */
export const getKnowledge = /* @__PURE__ */ call<GetKnowledgeRequestJson, KnowledgeEntityJson, "id">("GET", "/api/v1/knowledge/{id}");

/**
 * Adds an entity: written by hand, or an answer that the caller keeps. Levels other than individual need
 * `superadmin`. Errors: NOT_FOUND (of a document, of the answer), VALIDATION_FAILED (it holds a secret),
 * PERMISSION_DENIED, KNOWLEDGE_STATE.
 */
export const createKnowledge = /* @__PURE__ */ call<CreateKnowledgeRequestJson, KnowledgeEntityJson>("POST", "/api/v1/knowledge", "*");

/** Changes an entity. Errors: NOT_FOUND, VALIDATION_FAILED (it holds a secret), PERMISSION_DENIED, KNOWLEDGE_STATE. */
export const updateKnowledge = /* @__PURE__ */ call<Omit<UpdateKnowledgeRequestJson, "updateMask">, KnowledgeEntityJson, "id">("PATCH", "/api/v1/knowledge/{id}", "knowledge");

/** Removes an entity for good, with its feedback and its vector. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteKnowledge = /* @__PURE__ */ call<DeleteKnowledgeRequestJson, EmptyJson, "id">("DELETE", "/api/v1/knowledge/{id}");

/**
 * Finds entities by what they mean, best first: the caller's own and those of the organisation, also for
 * superadmins. Errors: DEPENDENCY_UNAVAILABLE.
 */
export const searchKnowledge = /* @__PURE__ */ call<SearchKnowledgeRequestJson, SearchKnowledgeResponseJson>("POST", "/api/v1/knowledge:search", "*");

/**
 * Sets the caller's opinion of an entity, in place of an earlier one. Errors: NOT_FOUND (of the entity, of the
 * conversation), VALIDATION_FAILED (nothing is said).
 */
export const setKnowledgeFeedback = /* @__PURE__ */ call<SetKnowledgeFeedbackRequestJson, KnowledgeEntityJson, "id">("PUT", "/api/v1/knowledge/{id}/feedback", "feedback");

/** Withdraws the caller's opinion; the confidence is then what it was without it. Errors: NOT_FOUND. */
export const deleteKnowledgeFeedback = /* @__PURE__ */ call<DeleteKnowledgeFeedbackRequestJson, KnowledgeEntityJson, "id">("DELETE", "/api/v1/knowledge/{id}/feedback");

/**
 * Lists what people say of an entity, newest first, for those who may change it. Errors: NOT_FOUND,
 * PERMISSION_DENIED.
 */
export const listKnowledgeFeedback = /* @__PURE__ */ call<ListKnowledgeFeedbackRequestJson, ListKnowledgeFeedbackResponseJson, "id">("GET", "/api/v1/knowledge/{id}/feedback");

/**
 * Proposes an own entity for everybody; a superadmin decides. Errors: NOT_FOUND, KNOWLEDGE_STATE (not everybody may
 * read its documents, or it is everybody's already).
 */
export const proposeKnowledge = /* @__PURE__ */ call<ProposeKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:propose", "*");

/** Takes a proposal back. Errors: NOT_FOUND, KNOWLEDGE_STATE. */
export const withdrawKnowledge = /* @__PURE__ */ call<WithdrawKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:withdraw", "*");

/** Lists the proposals that wait, most used first. Needs `superadmin`. */
export const listKnowledgeProposals = /* @__PURE__ */ call<ListKnowledgeProposalsRequestJson, ListKnowledgeProposalsResponseJson>("GET", "/api/v1/knowledge-proposals");

/**
 * Reads a proposal with what is like it and what differs. Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE,
 * DEPENDENCY_UNAVAILABLE.
 */
export const getKnowledgeReview = /* @__PURE__ */ call<GetKnowledgeReviewRequestJson, KnowledgeReviewJson, "id">("GET", "/api/v1/knowledge/{id}/review");

/**
 * Approves a proposal: the entity becomes everybody's, or takes the place of what a stored one says. It is verified
 * for 90 days then. Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE (it is not proposed, has changed since it
 * was read, or not everybody may read its documents).
 */
export const approveKnowledge = /* @__PURE__ */ call<ApproveKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:approve", "*");

/**
 * Rejects a proposal: the entity stays its owner's, who sees the reason. Needs `superadmin`. Errors: NOT_FOUND,
 * KNOWLEDGE_STATE.
 */
export const rejectKnowledge = /* @__PURE__ */ call<RejectKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:reject", "*");

/**
 * Verifies that an entity of everybody still holds, for 90 days from now. Needs `superadmin`. Errors: NOT_FOUND,
 * KNOWLEDGE_STATE.
 */
export const verifyKnowledge = /* @__PURE__ */ call<VerifyKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:verify", "*");
