// Generated from echomind/public/v1/assistant_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AssistantJson, AssistantVersionJson } from "./assistant_pb.js";
import type { CreateAssistantRequestJson, DeleteAssistantRequestJson, DiffAssistantVersionsRequestJson, DiffAssistantVersionsResponseJson, DuplicateAssistantRequestJson, GetAssistantRequestJson, GetAssistantVersionRequestJson, ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, ListAssistantVersionsRequestJson, ListAssistantVersionsResponseJson, ListAssistantsRequestJson, ListAssistantsResponseJson, RestoreAssistantVersionRequestJson, SaveAssistantDraftRequestJson, UpdateAssistantRequestJson } from "./assistant_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists assistants by `display_priority`, then ID. Hidden ones are included for `superadmin` only. */
export const listAssistants = /* @__PURE__ */ call<ListAssistantsRequestJson, ListAssistantsResponseJson>("GET", "/api/v1/assistants");

/** Reads one assistant. Errors: NOT_FOUND. */
export const getAssistant = /* @__PURE__ */ call<GetAssistantRequestJson, AssistantJson, "id">("GET", "/api/v1/assistants/{id}");

/** Creates an assistant. Errors: ALREADY_EXISTS, NOT_FOUND (the model). */
export const createAssistant = /* @__PURE__ */ call<CreateAssistantRequestJson, AssistantJson>("POST", "/api/v1/assistants", "assistant");

/**
 * Updates an assistant. Runs that have started keep their instructions and limits; they get the new model, tools, MCP
 * servers and approvals when a worker next claims them. Errors: NOT_FOUND.
 */
export const updateAssistant = /* @__PURE__ */ call<Omit<UpdateAssistantRequestJson, "updateMask">, AssistantJson, "id">("PATCH", "/api/v1/assistants/{id}", "assistant");

/**
 * Creates a copy of an assistant, hidden and never the default, with the stored secrets of its MCP servers. Errors:
 * NOT_FOUND, ALREADY_EXISTS.
 */
export const duplicateAssistant = /* @__PURE__ */ call<DuplicateAssistantRequestJson, AssistantJson, "id">("POST", "/api/v1/assistants/{id}:duplicate", "*");

/**
 * Stores a configuration as a draft of an existing or a new assistant, to test it before saving. A draft answers in
 * conversations that name it and lists its tools like any assistant, but neither it nor its conversations appear in
 * any list. There is one draft per user and assistant: saving replaces it, and its conversations are removed a day
 * after their last message. Needs `superadmin`. Errors: NOT_FOUND, VALIDATION_FAILED.
 */
export const saveAssistantDraft = /* @__PURE__ */ call<SaveAssistantDraftRequestJson, AssistantJson>("POST", "/api/v1/assistants:saveDraft", "*");

/** Lists the versions of an assistant, newest first. Needs `superadmin`. Errors: NOT_FOUND. */
export const listAssistantVersions = /* @__PURE__ */ call<ListAssistantVersionsRequestJson, ListAssistantVersionsResponseJson, "id">("GET", "/api/v1/assistants/{id}/versions");

/** Reads one version of an assistant. Needs `superadmin`. Errors: NOT_FOUND. */
export const getAssistantVersion = /* @__PURE__ */ call<GetAssistantVersionRequestJson, AssistantVersionJson, "id" | "version">("GET", "/api/v1/assistants/{id}/versions/{version}");

/** Compares two versions of an assistant. Needs `superadmin`. Errors: NOT_FOUND. */
export const diffAssistantVersions = /* @__PURE__ */ call<DiffAssistantVersionsRequestJson, DiffAssistantVersionsResponseJson, "id" | "version">("GET", "/api/v1/assistants/{id}/versions/{version}:diff");

/**
 * Restores an earlier version of an assistant, which creates a new version. Whether it is the default does not
 * change, and the default assistant stays visible. A chat model that was removed since is replaced by the default
 * model. Secrets of MCP servers are the newest ones that were stored for the same address or program. Runs that have
 * started behave as with UpdateAssistant. Needs `superadmin`. Errors: NOT_FOUND, ALREADY_EXISTS (the name),
 * VALIDATION_FAILED (a program that may no longer be started).
 */
export const restoreAssistantVersion = /* @__PURE__ */ call<RestoreAssistantVersionRequestJson, AssistantJson, "id" | "version">("POST", "/api/v1/assistants/{id}/versions/{version}:restore", "*");

/** Deletes an assistant; its sessions stay readable. The default one cannot be deleted. */
export const deleteAssistant = /* @__PURE__ */ call<DeleteAssistantRequestJson, EmptyJson, "id">("DELETE", "/api/v1/assistants/{id}");

/**
 * Lists the tools that an assistant can call now, including those of its MCP servers. Problems are listed as well: a
 * server that does not answer, a tool that cannot be used, a configured name that no tool has. Errors: NOT_FOUND,
 * DEPENDENCY_UNAVAILABLE (no agent is running).
 */
export const listAssistantTools = /* @__PURE__ */ call<ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, "id">("GET", "/api/v1/assistants/{id}/tools");
