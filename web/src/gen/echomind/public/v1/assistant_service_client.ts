// Generated from echomind/public/v1/assistant_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AssistantJson, AssistantVersionJson } from "./assistant_pb.js";
import type { CreateAssistantRequestJson, DeleteAssistantRequestJson, DiffAssistantVersionsRequestJson, DiffAssistantVersionsResponseJson, DuplicateAssistantRequestJson, GetAssistantRequestJson, GetAssistantVersionRequestJson, ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, ListAssistantVersionsRequestJson, ListAssistantVersionsResponseJson, ListAssistantsRequestJson, ListAssistantsResponseJson, RestoreAssistantVersionRequestJson, SaveAssistantDraftRequestJson, UpdateAssistantRequestJson } from "./assistant_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists assistants by `display_priority`, then id. Hidden ones are left out below `superadmin`. */
export const listAssistants = /* @__PURE__ */ call<ListAssistantsRequestJson, ListAssistantsResponseJson>("GET", "/api/v1/assistants");

/** Reads one assistant. Errors: NOT_FOUND. */
export const getAssistant = /* @__PURE__ */ call<GetAssistantRequestJson, AssistantJson, "id">("GET", "/api/v1/assistants/{id}");

/** Adds an assistant. Errors: ALREADY_EXISTS, NOT_FOUND (of its model). */
export const createAssistant = /* @__PURE__ */ call<CreateAssistantRequestJson, AssistantJson>("POST", "/api/v1/assistants", "assistant");

/**
 * Changes an assistant. A run that has begun keeps its instructions and budgets; its model, tools, MCP servers and
 * approvals are the new ones from the next time that a worker takes it. Errors: NOT_FOUND.
 */
export const updateAssistant = /* @__PURE__ */ call<Omit<UpdateAssistantRequestJson, "updateMask">, AssistantJson, "id">("PATCH", "/api/v1/assistants/{id}", "assistant");

/**
 * Adds a copy of an assistant, hidden and never the default, with the stored secrets of its MCP servers. Errors:
 * NOT_FOUND, ALREADY_EXISTS.
 */
export const duplicateAssistant = /* @__PURE__ */ call<DuplicateAssistantRequestJson, AssistantJson, "id">("POST", "/api/v1/assistants/{id}:duplicate", "*");

/**
 * Stores a configuration to try it before it is saved, as a draft of an assistant or of a new one. A draft answers in
 * conversations that name it and lists its tools like any assistant, but nobody finds it: it is hidden, in no list,
 * and so are its conversations. There is one for each person and assistant: a later one replaces it, and its
 * conversations without a message for a day are removed. Needs `superadmin`. Errors: NOT_FOUND, VALIDATION_FAILED.
 */
export const saveAssistantDraft = /* @__PURE__ */ call<SaveAssistantDraftRequestJson, AssistantJson>("POST", "/api/v1/assistants:saveDraft", "*");

/** Lists the versions of an assistant, newest first: each change of it makes one. Needs `superadmin`. Errors: NOT_FOUND. */
export const listAssistantVersions = /* @__PURE__ */ call<ListAssistantVersionsRequestJson, ListAssistantVersionsResponseJson, "id">("GET", "/api/v1/assistants/{id}/versions");

/** Reads one version of an assistant. Needs `superadmin`. Errors: NOT_FOUND. */
export const getAssistantVersion = /* @__PURE__ */ call<GetAssistantVersionRequestJson, AssistantVersionJson, "id" | "version">("GET", "/api/v1/assistants/{id}/versions/{version}");

/** Compares two versions of an assistant. Needs `superadmin`. Errors: NOT_FOUND. */
export const diffAssistantVersions = /* @__PURE__ */ call<DiffAssistantVersionsRequestJson, DiffAssistantVersionsResponseJson, "id" | "version">("GET", "/api/v1/assistants/{id}/versions/{version}:diff");

/**
 * Makes an assistant what it was in one of its versions; that is a change, and so a version of its own. Which assistant
 * is the default stays, and the default one stays visible. A chat model that was removed since is replaced by the
 * default one. Of the MCP servers' secrets the newest that were given for the same address or program count. Runs that
 * have begun go by UpdateAssistant's rule. Needs `superadmin`. Errors: NOT_FOUND, ALREADY_EXISTS (of the name),
 * VALIDATION_FAILED (of a program that may not be started any more).
 */
export const restoreAssistantVersion = /* @__PURE__ */ call<RestoreAssistantVersionRequestJson, AssistantJson, "id" | "version">("POST", "/api/v1/assistants/{id}/versions/{version}:restore", "*");

/** Removes an assistant; its sessions stay readable. The default one cannot be removed. */
export const deleteAssistant = /* @__PURE__ */ call<DeleteAssistantRequestJson, EmptyJson, "id">("DELETE", "/api/v1/assistants/{id}");

/**
 * Lists the tools that an assistant can call now, those of its MCP servers too. What is wrong is listed as well: a
 * server that does not answer, a tool that cannot be used, a name in the config that no tool has. Errors: NOT_FOUND,
 * DEPENDENCY_UNAVAILABLE (no agent runs).
 */
export const listAssistantTools = /* @__PURE__ */ call<ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, "id">("GET", "/api/v1/assistants/{id}/tools");
