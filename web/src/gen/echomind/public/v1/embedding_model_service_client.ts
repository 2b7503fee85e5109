// Generated from echomind/public/v1/embedding_model_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { EmbeddingModelJson } from "./embedding_model_pb.js";
import type { GetEmbeddingModelRequestJson, ListEmbeddingModelsRequestJson, ListEmbeddingModelsResponseJson } from "./embedding_model_service_pb.js";

/** Lists the models; exactly one is active. */
export const listEmbeddingModels = /* @__PURE__ */ call<ListEmbeddingModelsRequestJson, ListEmbeddingModelsResponseJson>("GET", "/api/v1/embedding-models");

/** Reads one model. Errors: NOT_FOUND. */
export const getEmbeddingModel = /* @__PURE__ */ call<GetEmbeddingModelRequestJson, EmbeddingModelJson, "id">("GET", "/api/v1/embedding-models/{id}");
