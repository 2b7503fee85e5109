// Generated from echomind/public/v1/notebook_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SendMessageResponseJson } from "./chat_message_service_pb.js";
import type { NotebookJson, NotebookMemberJson } from "./notebook_pb.js";
import type { AddNotebookSourcesRequestJson, CreateNotebookRequestJson, DeleteNotebookRequestJson, GetNotebookRequestJson, ListNotebookMembersRequestJson, ListNotebookMembersResponseJson, ListNotebookSessionsRequestJson, ListNotebookSessionsResponseJson, ListNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, ListNotebooksRequestJson, ListNotebooksResponseJson, PurgeNotebookRequestJson, RemoveNotebookMemberRequestJson, RemoveNotebookSourcesRequestJson, RestoreNotebookRequestJson, SetNotebookMemberRequestJson, StartNotebookTemplateRequestJson, UpdateNotebookRequestJson } from "./notebook_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists the notebooks that the caller is a member of, the one that was used last first.
 * Errors: PERMISSION_DENIED (`all` needs `superadmin`).
 */
export const listNotebooks = /* @__PURE__ */ call<ListNotebooksRequestJson, ListNotebooksResponseJson>("GET", "/api/v1/notebooks");

/** Reads one notebook. Errors: NOT_FOUND. */
export const getNotebook = /* @__PURE__ */ call<GetNotebookRequestJson, NotebookJson, "id">("GET", "/api/v1/notebooks/{id}");

/** Begins a notebook, of which the caller becomes an owner. */
export const createNotebook = /* @__PURE__ */ call<CreateNotebookRequestJson, NotebookJson>("POST", "/api/v1/notebooks", "notebook");

/** Changes `title`, `description` or `instructions`. Needs an editor. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const updateNotebook = /* @__PURE__ */ call<Omit<UpdateNotebookRequestJson, "updateMask">, NotebookJson, "id">("PATCH", "/api/v1/notebooks/{id}", "notebook");

/**
 * Removes a notebook with its conversations; runs that are not finished are cancelled. It can be brought back for 30
 * days. Needs an owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const deleteNotebook = /* @__PURE__ */ call<DeleteNotebookRequestJson, EmptyJson, "id">("DELETE", "/api/v1/notebooks/{id}");

/**
 * Brings a removed notebook back, with the conversations that were removed with it. One that is not removed is returned
 * as it is. Needs an owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const restoreNotebook = /* @__PURE__ */ call<RestoreNotebookRequestJson, NotebookJson, "id">("POST", "/api/v1/notebooks/{id}:restore", "*");

/**
 * Deletes a notebook for good, one too that was removed: its conversations with all that is in them, sources and
 * members. Documents stay. Needs an owner, or `superadmin`; audited. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const purgeNotebook = /* @__PURE__ */ call<PurgeNotebookRequestJson, EmptyJson, "id">("POST", "/api/v1/notebooks/{id}:purge", "*");

/** Lists a notebook's sources, in the order in which they were added. Errors: NOT_FOUND. */
export const listNotebookSources = /* @__PURE__ */ call<ListNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("GET", "/api/v1/notebooks/{id}/sources");

/**
 * Adds connectors and documents that the caller may read; those that are sources already stay. Needs an editor.
 * Errors: NOT_FOUND (the notebook, or one of them: then none is added), PERMISSION_DENIED, VALIDATION_FAILED (more than
 * 500 sources).
 */
export const addNotebookSources = /* @__PURE__ */ call<AddNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("POST", "/api/v1/notebooks/{id}/sources:add", "*");

/**
 * Takes sources out of a notebook. Answers that were given from them stay. Needs an editor.
 * Errors: NOT_FOUND (the notebook, or one of the sources: then none is removed), PERMISSION_DENIED.
 */
export const removeNotebookSources = /* @__PURE__ */ call<RemoveNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("POST", "/api/v1/notebooks/{id}/sources:remove", "*");

/** Lists a notebook's members, in the order in which they became it. Errors: NOT_FOUND. */
export const listNotebookMembers = /* @__PURE__ */ call<ListNotebookMembersRequestJson, ListNotebookMembersResponseJson, "id">("GET", "/api/v1/notebooks/{id}/members");

/**
 * Adds an account as a member, or gives a member another role. Needs an owner.
 * Errors: NOT_FOUND (the notebook, or the account), PERMISSION_DENIED, VALIDATION_FAILED (nobody would be an owner).
 */
export const setNotebookMember = /* @__PURE__ */ call<SetNotebookMemberRequestJson, NotebookMemberJson, "id">("POST", "/api/v1/notebooks/{id}/members:set", "*");

/**
 * Removes a member: they can neither ask in the notebook nor read what others ask in it from now on. Needs an owner;
 * everybody may leave. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (nobody would be an owner).
 */
export const removeNotebookMember = /* @__PURE__ */ call<RemoveNotebookMemberRequestJson, EmptyJson, "id" | "userId">("DELETE", "/api/v1/notebooks/{id}/members/{userId}");

/**
 * Lists the conversations of all members, the one with the newest message first. Those that drew on documents that the
 * caller may not read come without title and text. Errors: NOT_FOUND, PERMISSION_DENIED (for who is no member).
 */
export const listNotebookSessions = /* @__PURE__ */ call<ListNotebookSessionsRequestJson, ListNotebookSessionsResponseJson, "id">("GET", "/api/v1/notebooks/{id}/sessions");

/**
 * Asks a question made of a template, in a conversation of its own, with the documents of the notebook that the caller
 * may read. Errors: NOT_FOUND, VALIDATION_FAILED (a table without `fields`, or no source that the caller may read), and
 * those of SendMessage.
 */
export const startNotebookTemplate = /* @__PURE__ */ call<StartNotebookTemplateRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/notebooks/{id}:startTemplate", "*");
