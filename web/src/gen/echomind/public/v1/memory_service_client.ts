// Generated from echomind/public/v1/memory_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { MemoryJson } from "./memory_pb.js";
import type { CreateMemoryRequestJson, DeleteAllMemoriesRequestJson, DeleteAllMemoriesResponseJson, DeleteMemoryRequestJson, EraseMemoriesRequestJson, GetMemoryRequestJson, ListMemoriesRequestJson, ListMemoriesResponseJson, SearchMemoriesRequestJson, SearchMemoriesResponseJson, UpdateMemoryRequestJson } from "./memory_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's memories, newest first. */
export const listMemories = /* @__PURE__ */ call<ListMemoriesRequestJson, ListMemoriesResponseJson>("GET", "/api/v1/memories");

/**
 * Finds the caller's memories about a text, in the order in which an answer would get them. Errors:
 * DEPENDENCY_UNAVAILABLE.
 */
export const searchMemories = /* @__PURE__ */ call<SearchMemoriesRequestJson, SearchMemoriesResponseJson>("GET", "/api/v1/memories:search");

/** Reads one memory. Errors: NOT_FOUND. */
export const getMemory = /* @__PURE__ */ call<GetMemoryRequestJson, MemoryJson, "id">("GET", "/api/v1/memories/{id}");

/** Stores a memory by hand. Errors: VALIDATION_FAILED (it is empty, or holds a secret). */
export const createMemory = /* @__PURE__ */ call<CreateMemoryRequestJson, MemoryJson>("POST", "/api/v1/memories", "memory");

/**
 * Changes `content`, `memory_type`, `importance_score` or `expires_at`. Errors: NOT_FOUND (also for a memory that was
 * replaced), VALIDATION_FAILED.
 */
export const updateMemory = /* @__PURE__ */ call<Omit<UpdateMemoryRequestJson, "updateMask">, MemoryJson, "id">("PATCH", "/api/v1/memories/{id}", "memory");

/** Deletes a memory for good, with all that it had replaced. Errors: NOT_FOUND. */
export const deleteMemory = /* @__PURE__ */ call<DeleteMemoryRequestJson, EmptyJson, "id">("DELETE", "/api/v1/memories/{id}");

/** Deletes all memories of the caller for good; or with `chat_session_id` those that were extracted from it. */
export const deleteAllMemories = /* @__PURE__ */ call<DeleteAllMemoriesRequestJson, DeleteAllMemoriesResponseJson>("POST", "/api/v1/memories:deleteAll", "*");

/**
 * Deletes all memories of a person for good, unseen. Needs `superadmin`, and with a key the scope `administer`;
 * audited. Errors: NOT_FOUND.
 */
export const eraseMemories = /* @__PURE__ */ call<EraseMemoriesRequestJson, DeleteAllMemoriesResponseJson, "userId">("POST", "/api/v1/users/{userId}:eraseMemories", "*");
