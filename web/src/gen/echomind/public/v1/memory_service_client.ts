// Generated from echomind/public/v1/memory_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { MemoryJson } from "./memory_pb.js";
import type { CreateMemoryRequestJson, DeleteAllMemoriesRequestJson, DeleteAllMemoriesResponseJson, DeleteMemoryRequestJson, EraseMemoriesRequestJson, GetMemoryRequestJson, ListMemoriesRequestJson, ListMemoriesResponseJson, SearchMemoriesRequestJson, SearchMemoriesResponseJson, UpdateMemoryRequestJson } from "./memory_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's memories, newest first. */
export const listMemories = /* @__PURE__ */ call<ListMemoriesRequestJson, ListMemoriesResponseJson>("GET", "/api/v1/memories");

/** Searches the caller's memories by meaning, ranked as for an answer. Errors: DEPENDENCY_UNAVAILABLE. */
export const searchMemories = /* @__PURE__ */ call<SearchMemoriesRequestJson, SearchMemoriesResponseJson>("GET", "/api/v1/memories:search");

/** Reads one memory. Errors: NOT_FOUND. */
export const getMemory = /* @__PURE__ */ call<GetMemoryRequestJson, MemoryJson, "id">("GET", "/api/v1/memories/{id}");

/** Creates a memory by hand. Errors: VALIDATION_FAILED (it is empty, or contains a secret). */
export const createMemory = /* @__PURE__ */ call<CreateMemoryRequestJson, MemoryJson>("POST", "/api/v1/memories", "memory");

/**
 * Updates `content`, `memory_type`, `importance_score` or `expires_at`. Errors: NOT_FOUND (also for a memory that was
 * replaced), VALIDATION_FAILED.
 */
export const updateMemory = /* @__PURE__ */ call<Omit<UpdateMemoryRequestJson, "updateMask">, MemoryJson, "id">("PATCH", "/api/v1/memories/{id}", "memory");

/** Deletes a memory permanently, with all earlier versions that it replaced. Errors: NOT_FOUND. */
export const deleteMemory = /* @__PURE__ */ call<DeleteMemoryRequestJson, EmptyJson, "id">("DELETE", "/api/v1/memories/{id}");

/**
 * Deletes all memories of the caller permanently; with `chat_session_id` only those whose only source it is. Memories
 * that other conversations state as well, or that were written by hand, are kept without it as a source.
 */
export const deleteAllMemories = /* @__PURE__ */ call<DeleteAllMemoriesRequestJson, DeleteAllMemoriesResponseJson>("POST", "/api/v1/memories:deleteAll", "*");

/**
 * Deletes all memories of a user permanently, without showing them. Needs `superadmin`; a key needs the scope
 * `administer`; audited. Errors: NOT_FOUND.
 */
export const eraseMemories = /* @__PURE__ */ call<EraseMemoriesRequestJson, DeleteAllMemoriesResponseJson, "userId">("POST", "/api/v1/users/{userId}:eraseMemories", "*");
