// Generated from echomind/public/v1/knowledge_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { KnowledgeEntityJson, KnowledgeReviewJson } from "./knowledge_pb.js";
import type { ApproveKnowledgeRequestJson, CreateKnowledgeRequestJson, DeleteKnowledgeFeedbackRequestJson, DeleteKnowledgeRequestJson, GetKnowledgeRequestJson, GetKnowledgeReviewRequestJson, ListKnowledgeFeedbackRequestJson, ListKnowledgeFeedbackResponseJson, ListKnowledgeProposalsRequestJson, ListKnowledgeProposalsResponseJson, ListKnowledgeRequestJson, ListKnowledgeResponseJson, ListKnowledgeRevisionsRequestJson, ListKnowledgeRevisionsResponseJson, ProposeKnowledgeRequestJson, RejectKnowledgeRequestJson, SearchKnowledgeRequestJson, SearchKnowledgeResponseJson, SetKnowledgeFeedbackRequestJson, UpdateKnowledgeRequestJson, VerifyKnowledgeRequestJson, WithdrawKnowledgeRequestJson } from "./knowledge_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the entities that the caller may read. */
export const listKnowledge = /* @__PURE__ */ call<ListKnowledgeRequestJson, ListKnowledgeResponseJson>("GET", "/api/v1/knowledge");

/** Reads one entity. Errors: NOT_FOUND. */
export const getKnowledge = /* @__PURE__ */ call<GetKnowledgeRequestJson, KnowledgeEntityJson, "id">("GET", "/api/v1/knowledge/{id}");

/**
 * Creates an entity: written by hand, or saved from an answer. Levels other than individual need `superadmin`.
 * Errors: NOT_FOUND (a document, the answer), VALIDATION_FAILED (it contains a secret), PERMISSION_DENIED,
 * KNOWLEDGE_STATE.
 */
export const createKnowledge = /* @__PURE__ */ call<CreateKnowledgeRequestJson, KnowledgeEntityJson>("POST", "/api/v1/knowledge", "*");

/** Updates an entity. Errors: NOT_FOUND, VALIDATION_FAILED (it contains a secret), PERMISSION_DENIED, KNOWLEDGE_STATE. */
export const updateKnowledge = /* @__PURE__ */ call<Omit<UpdateKnowledgeRequestJson, "updateMask">, KnowledgeEntityJson, "id">("PATCH", "/api/v1/knowledge/{id}", "knowledge");

/** Deletes an entity permanently, with its feedback and its vector. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteKnowledge = /* @__PURE__ */ call<DeleteKnowledgeRequestJson, EmptyJson, "id">("DELETE", "/api/v1/knowledge/{id}");

/**
 * Searches entities by meaning, best first: the caller's own and those of the organization, also for superadmins.
 * Errors: DEPENDENCY_UNAVAILABLE.
 */
export const searchKnowledge = /* @__PURE__ */ call<SearchKnowledgeRequestJson, SearchKnowledgeResponseJson>("POST", "/api/v1/knowledge:search", "*");

/**
 * Sets the caller's feedback on an entity, replacing an earlier one. Errors: NOT_FOUND (the entity, the
 * conversation), VALIDATION_FAILED (it is empty).
 */
export const setKnowledgeFeedback = /* @__PURE__ */ call<SetKnowledgeFeedbackRequestJson, KnowledgeEntityJson, "id">("PUT", "/api/v1/knowledge/{id}/feedback", "feedback");

/** Deletes the caller's feedback; the confidence is then as without it. Errors: NOT_FOUND. */
export const deleteKnowledgeFeedback = /* @__PURE__ */ call<DeleteKnowledgeFeedbackRequestJson, KnowledgeEntityJson, "id">("DELETE", "/api/v1/knowledge/{id}/feedback");

/** Lists the feedback on an entity, newest first, for those who may change it. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const listKnowledgeFeedback = /* @__PURE__ */ call<ListKnowledgeFeedbackRequestJson, ListKnowledgeFeedbackResponseJson, "id">("GET", "/api/v1/knowledge/{id}/feedback");

/**
 * Lists the revisions of an entity, newest first, for users who may change it. For a shared entity only the revisions
 * since it was shared, unless it is the caller's own. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const listKnowledgeRevisions = /* @__PURE__ */ call<ListKnowledgeRevisionsRequestJson, ListKnowledgeRevisionsResponseJson, "id">("GET", "/api/v1/knowledge/{id}/revisions");

/**
 * Proposes one of the caller's entities for sharing; a superadmin decides. Errors: NOT_FOUND, KNOWLEDGE_STATE (not
 * everyone may read its documents, or it is already shared).
 */
export const proposeKnowledge = /* @__PURE__ */ call<ProposeKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:propose", "*");

/** Withdraws a proposal. Errors: NOT_FOUND, KNOWLEDGE_STATE. */
export const withdrawKnowledge = /* @__PURE__ */ call<WithdrawKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:withdraw", "*");

/** Lists the open proposals, most used first. Needs `superadmin`. */
export const listKnowledgeProposals = /* @__PURE__ */ call<ListKnowledgeProposalsRequestJson, ListKnowledgeProposalsResponseJson>("GET", "/api/v1/knowledge-proposals");

/**
 * Reads a proposal with similar entities and the differences. Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE,
 * DEPENDENCY_UNAVAILABLE.
 */
export const getKnowledgeReview = /* @__PURE__ */ call<GetKnowledgeReviewRequestJson, KnowledgeReviewJson, "id">("GET", "/api/v1/knowledge/{id}/review");

/**
 * Approves a proposal: the entity is shared, or replaces the content of a shared one, and is verified for 90 days.
 * Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE (it is not proposed, has changed since it was read, or not
 * everyone may read its documents).
 */
export const approveKnowledge = /* @__PURE__ */ call<ApproveKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:approve", "*");

/**
 * Rejects a proposal: the entity remains its owner's, who can read the reason. Needs `superadmin`. Errors: NOT_FOUND,
 * KNOWLEDGE_STATE.
 */
export const rejectKnowledge = /* @__PURE__ */ call<RejectKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:reject", "*");

/**
 * Verifies that a shared entity is still correct, for 90 days from now. Needs `superadmin`. Errors: NOT_FOUND,
 * KNOWLEDGE_STATE.
 */
export const verifyKnowledge = /* @__PURE__ */ call<VerifyKnowledgeRequestJson, KnowledgeEntityJson, "id">("POST", "/api/v1/knowledge/{id}:verify", "*");
