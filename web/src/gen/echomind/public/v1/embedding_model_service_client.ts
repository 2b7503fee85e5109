// Generated from echomind/public/v1/embedding_model_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { EmbeddingIndexProgressJson, EmbeddingModelJson } from "./embedding_model_pb.js";
import type { ActivateEmbeddingModelRequestJson, CreateEmbeddingModelRequestJson, DeleteEmbeddingModelRequestJson, DropEmbeddingIndexRequestJson, GetEmbeddingIndexProgressRequestJson, GetEmbeddingModelRequestJson, ListEmbeddingModelsRequestJson, ListEmbeddingModelsResponseJson, TestEmbeddingModelRequestJson, TestEmbeddingModelResponseJson, UpdateEmbeddingModelRequestJson } from "./embedding_model_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the models; exactly one is active. */
export const listEmbeddingModels = /* @__PURE__ */ call<ListEmbeddingModelsRequestJson, ListEmbeddingModelsResponseJson>("GET", "/api/v1/embedding-models");

/** Reads one model. Errors: NOT_FOUND. */
export const getEmbeddingModel = /* @__PURE__ */ call<GetEmbeddingModelRequestJson, EmbeddingModelJson, "id">("GET", "/api/v1/embedding-models/{id}");

/**
 * Adds a model of a server, which is tested first: that finds the dimension of its vectors and the languages that it
 * serves. Nothing uses it until it is activated. Needs `superadmin`. Errors: ENDPOINT_REFUSED, VALIDATION_FAILED
 * (`endpoint`: the test failed, and why).
 */
export const createEmbeddingModel = /* @__PURE__ */ call<CreateEmbeddingModelRequestJson, EmbeddingModelJson>("POST", "/api/v1/embedding-models", "embeddingModel");

/**
 * Updates a model of a server, which is tested first if the change concerns its vectors: with an index, they must keep
 * their dimension. Of a built-in one, only the display name can be changed. Needs `superadmin`. Errors: NOT_FOUND,
 * ENDPOINT_REFUSED, VALIDATION_FAILED, EMBEDDING_MODEL_STATE (prefixes of a model that has an index).
 */
export const updateEmbeddingModel = /* @__PURE__ */ call<Omit<UpdateEmbeddingModelRequestJson, "updateMask">, EmbeddingModelJson, "id">("PATCH", "/api/v1/embedding-models/{id}", "embeddingModel");

/**
 * Removes a model of a server, with its key. Needs `superadmin`. Errors: NOT_FOUND, EMBEDDING_MODEL_STATE (it is built
 * in, or has an index: activate another model, or delete its index first).
 */
export const deleteEmbeddingModel = /* @__PURE__ */ call<DeleteEmbeddingModelRequestJson, EmptyJson, "id">("DELETE", "/api/v1/embedding-models/{id}");

/**
 * Lets a stored model embed questions and passages in some languages, and returns how well it finds the right ones.
 * Stores nothing. Needs `superadmin`. Errors: NOT_FOUND.
 */
export const testEmbeddingModel = /* @__PURE__ */ call<TestEmbeddingModelRequestJson, TestEmbeddingModelResponseJson, "id">("POST", "/api/v1/embedding-models/{id}:test", "*");

/**
 * Makes a model the active one. Without an index, its index is filled beside the active one from the stored passages
 * of all documents, and becomes active when it is complete; questions are answered by the active one meanwhile. A
 * model whose index is kept becomes active at once. For a model whose index is being filled, documents that could not
 * be copied are tried again, or left out with `without_failed`. Needs `superadmin`. Errors: NOT_FOUND,
 * EMBEDDING_MODEL_STATE (another one is being filled, or this one is being deleted), DISK_FULL.
 */
export const activateEmbeddingModel = /* @__PURE__ */ call<ActivateEmbeddingModelRequestJson, EmbeddingModelJson, "id">("POST", "/api/v1/embedding-models/{id}:activate", "*");

/**
 * Deletes the index of a model that is not active: what was filled so far, or what is kept. Needs `superadmin`.
 * Errors: NOT_FOUND, EMBEDDING_MODEL_STATE (it is active, or has no index).
 */
export const dropEmbeddingIndex = /* @__PURE__ */ call<DropEmbeddingIndexRequestJson, EmbeddingModelJson, "id">("POST", "/api/v1/embedding-models/{id}:dropIndex", "*");

/** Returns how far the index of a model is filled. Needs `superadmin`. Errors: NOT_FOUND. */
export const getEmbeddingIndexProgress = /* @__PURE__ */ call<GetEmbeddingIndexProgressRequestJson, EmbeddingIndexProgressJson, "id">("GET", "/api/v1/embedding-models/{id}/progress");
