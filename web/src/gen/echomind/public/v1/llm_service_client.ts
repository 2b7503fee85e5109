// Generated from echomind/public/v1/llm_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { LlmJson } from "./llm_pb.js";
import type { CreateLlmRequestJson, DeleteLlmRequestJson, GetLlmRequestJson, ListLlmsRequestJson, ListLlmsResponseJson, ListOfferedModelsRequestJson, ListOfferedModelsResponseJson, TestLlmRequestJson, TestLlmResponseJson, TestLlmSettingsRequestJson, UpdateLlmRequestJson } from "./llm_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists models by name. */
export const listLlms = /* @__PURE__ */ call<ListLlmsRequestJson, ListLlmsResponseJson>("GET", "/api/v1/llms");

/** Reads one model. Errors: NOT_FOUND. */
export const getLlm = /* @__PURE__ */ call<GetLlmRequestJson, LlmJson, "id">("GET", "/api/v1/llms/{id}");

/** Creates a model. With `is_default` it replaces the default. Errors: ALREADY_EXISTS, ENDPOINT_REFUSED. */
export const createLlm = /* @__PURE__ */ call<CreateLlmRequestJson, LlmJson>("POST", "/api/v1/llms", "llm");

/** Updates a model. Errors: NOT_FOUND, ENDPOINT_REFUSED. */
export const updateLlm = /* @__PURE__ */ call<Omit<UpdateLlmRequestJson, "updateMask">, LlmJson, "id">("PATCH", "/api/v1/llms/{id}", "llm");

/** Deletes a model; its assistants use the default. The built-in one cannot be deleted. */
export const deleteLlm = /* @__PURE__ */ call<DeleteLlmRequestJson, EmptyJson, "id">("DELETE", "/api/v1/llms/{id}");

/** Sends a short question to a stored model and returns the result. Needs `superadmin`. Errors: NOT_FOUND. */
export const testLlm = /* @__PURE__ */ call<TestLlmRequestJson, TestLlmResponseJson, "id">("POST", "/api/v1/llms/{id}:test", "*");

/**
 * Sends a short question to a model that is not stored, or that is stored with other values, without storing
 * anything. Needs `superadmin`. Errors: NOT_FOUND (`id`), ENDPOINT_REFUSED, VALIDATION_FAILED (the stored key belongs
 * to another address).
 */
export const testLlmSettings = /* @__PURE__ */ call<TestLlmSettingsRequestJson, TestLlmResponseJson>("POST", "/api/v1/llms:test", "*");

/**
 * Lists the names of the models that a provider's server offers, to choose one of them. Stores nothing and asks no
 * model. Needs `superadmin`. Errors: NOT_FOUND (`id`), ENDPOINT_REFUSED, VALIDATION_FAILED (the stored key belongs to
 * another address).
 */
export const listOfferedModels = /* @__PURE__ */ call<ListOfferedModelsRequestJson, ListOfferedModelsResponseJson>("POST", "/api/v1/llms:offered", "*");
