// Generated from echomind/public/v1/assistant_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { AssistantJson } from "./assistant_pb.js";
import type { CreateAssistantRequestJson, DeleteAssistantRequestJson, GetAssistantRequestJson, ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, ListAssistantsRequestJson, ListAssistantsResponseJson, UpdateAssistantRequestJson } from "./assistant_service_pb.js";
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

/** Removes an assistant; its sessions stay readable. The default one cannot be removed. */
export const deleteAssistant = /* @__PURE__ */ call<DeleteAssistantRequestJson, EmptyJson, "id">("DELETE", "/api/v1/assistants/{id}");

/**
 * Lists the tools that an assistant can call now, those of its MCP servers too. What is wrong is listed as well: a
 * server that does not answer, a tool that cannot be used, a name in the config that no tool has. Errors: NOT_FOUND,
 * DEPENDENCY_UNAVAILABLE (no agent runs).
 */
export const listAssistantTools = /* @__PURE__ */ call<ListAssistantToolsRequestJson, ListAssistantToolsResponseJson, "id">("GET", "/api/v1/assistants/{id}/tools");
