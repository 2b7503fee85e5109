// Generated from echomind/public/v1/reranker_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { RerankerJson } from "./reranker_pb.js";
import type { CreateRerankerRequestJson, DeleteRerankerRequestJson, GetRerankerRequestJson, ListRerankersRequestJson, ListRerankersResponseJson, TestRerankerRequestJson, TestRerankerResponseJson, UpdateRerankerRequestJson } from "./reranker_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the rerankers, by ID. */
export const listRerankers = /* @__PURE__ */ call<ListRerankersRequestJson, ListRerankersResponseJson>("GET", "/api/v1/rerankers");

/** Reads one reranker. Errors: NOT_FOUND. */
export const getReranker = /* @__PURE__ */ call<GetRerankerRequestJson, RerankerJson, "id">("GET", "/api/v1/rerankers/{id}");

/**
 * Adds a reranker; an active one is tested first. Errors: ENDPOINT_REFUSED, ALREADY_EXISTS (`name`),
 * VALIDATION_FAILED (`endpoint`: it is not a URL, or the test failed, and why).
 */
export const createReranker = /* @__PURE__ */ call<CreateRerankerRequestJson, RerankerJson>("POST", "/api/v1/rerankers", "reranker");

/**
 * Updates a reranker. It is tested first if it becomes active, or is active and its server or model changes. Errors:
 * NOT_FOUND, and those of CreateReranker.
 */
export const updateReranker = /* @__PURE__ */ call<Omit<UpdateRerankerRequestJson, "updateMask">, RerankerJson, "id">("PATCH", "/api/v1/rerankers/{id}", "reranker");

/** Removes a reranker with its key; searches then have their own order. Errors: NOT_FOUND. */
export const deleteReranker = /* @__PURE__ */ call<DeleteRerankerRequestJson, EmptyJson, "id">("DELETE", "/api/v1/rerankers/{id}");

/**
 * Lets a stored reranker order the passages of some questions, and returns how often the right one is first. Stores
 * nothing. Errors: NOT_FOUND.
 */
export const testReranker = /* @__PURE__ */ call<TestRerankerRequestJson, TestRerankerResponseJson, "id">("POST", "/api/v1/rerankers/{id}:test", "*");
