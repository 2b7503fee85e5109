// Generated from echomind/public/v1/notebook_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { SendMessageResponseJson } from "./chat_message_service_pb.js";
import type { NotebookGroupJson, NotebookJson, NotebookMemberJson } from "./notebook_pb.js";
import type { AddNotebookSourcesRequestJson, CreateNotebookRequestJson, DeleteNotebookRequestJson, GetNotebookRequestJson, GetNotebookSummaryRequestJson, GiveNotebookAccessRequestJson, ListNotebookMembersRequestJson, ListNotebookMembersResponseJson, ListNotebookSessionsRequestJson, ListNotebookSessionsResponseJson, ListNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, ListNotebooksRequestJson, ListNotebooksResponseJson, PurgeNotebookRequestJson, RemoveNotebookGroupRequestJson, RemoveNotebookMemberRequestJson, RemoveNotebookSourcesRequestJson, RequestNotebookSummaryRequestJson, RestoreNotebookRequestJson, SetNotebookGroupRequestJson, SetNotebookMemberRequestJson, StartNotebookTemplateRequestJson, UpdateNotebookRequestJson } from "./notebook_service_pb.js";
import type { NotebookSummaryJson } from "./notebook_summary_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the caller's notebooks, most recently used first. Errors: PERMISSION_DENIED (`all` needs `superadmin`). */
export const listNotebooks = /* @__PURE__ */ call<ListNotebooksRequestJson, ListNotebooksResponseJson>("GET", "/api/v1/notebooks");

/** Reads one notebook. Errors: NOT_FOUND. */
export const getNotebook = /* @__PURE__ */ call<GetNotebookRequestJson, NotebookJson, "id">("GET", "/api/v1/notebooks/{id}");

/**
 * Creates a notebook; the caller becomes its owner. Errors: VALIDATION_FAILED (`tools` names a tool that no notebook can
 * have).
 */
export const createNotebook = /* @__PURE__ */ call<CreateNotebookRequestJson, NotebookJson>("POST", "/api/v1/notebooks", "notebook");

/**
 * Updates `title`, `description`, `instructions` or `tools`; changed tools are audited. Needs an editor. Errors:
 * NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (`tools` names a tool that no notebook can have).
 */
export const updateNotebook = /* @__PURE__ */ call<Omit<UpdateNotebookRequestJson, "updateMask">, NotebookJson, "id">("PATCH", "/api/v1/notebooks/{id}", "notebook");

/**
 * Removes a notebook with its conversations; active runs are cancelled. It can be restored for 30 days. Needs an
 * owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const deleteNotebook = /* @__PURE__ */ call<DeleteNotebookRequestJson, EmptyJson, "id">("DELETE", "/api/v1/notebooks/{id}");

/**
 * Restores a removed notebook, with the conversations that were removed with it. A notebook that is not removed is
 * returned unchanged. Needs an owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const restoreNotebook = /* @__PURE__ */ call<RestoreNotebookRequestJson, NotebookJson, "id">("POST", "/api/v1/notebooks/{id}:restore", "*");

/**
 * Deletes a notebook permanently, also a removed one: its conversations with all their data, sources and members.
 * Documents are kept. Needs an owner, or `superadmin`; audited. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const purgeNotebook = /* @__PURE__ */ call<PurgeNotebookRequestJson, EmptyJson, "id">("POST", "/api/v1/notebooks/{id}:purge", "*");

/** Lists the sources of a notebook, in the order in which they were added. Errors: NOT_FOUND. */
export const listNotebookSources = /* @__PURE__ */ call<ListNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("GET", "/api/v1/notebooks/{id}/sources");

/**
 * Adds connectors and documents that the caller may read; existing sources are kept. Needs an editor. Errors:
 * NOT_FOUND (the notebook, or one of the sources: then none is added), PERMISSION_DENIED, VALIDATION_FAILED (more
 * than 500 sources).
 */
export const addNotebookSources = /* @__PURE__ */ call<AddNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("POST", "/api/v1/notebooks/{id}/sources:add", "*");

/**
 * Removes sources from a notebook. Answers that used them are kept. Needs an editor. Errors: NOT_FOUND (the notebook,
 * or one of the sources: then none is removed), PERMISSION_DENIED.
 */
export const removeNotebookSources = /* @__PURE__ */ call<RemoveNotebookSourcesRequestJson, ListNotebookSourcesResponseJson, "id">("POST", "/api/v1/notebooks/{id}/sources:remove", "*");

/**
 * Gives all members access to sources that some of them may not read: a connector becomes visible to the smallest
 * group with all members that the caller may share with, or to everyone, and a document moves to the files of that
 * group or of everyone; `access_scope` of each source says which. Needs an editor who manages the sources. Errors:
 * NOT_FOUND (the notebook, or one of the sources), PERMISSION_DENIED (the caller cannot give access to one of them:
 * then none is changed), ALREADY_EXISTS (a document of that path is there already), DOCUMENT_NOT_READY (it is still
 * being read).
 */
export const giveNotebookAccess = /* @__PURE__ */ call<GiveNotebookAccessRequestJson, ListNotebookSourcesResponseJson, "id">("POST", "/api/v1/notebooks/{id}/sources:giveAccess", "*");

/** Lists the people and groups of a notebook, in the order in which they joined. Errors: NOT_FOUND. */
export const listNotebookMembers = /* @__PURE__ */ call<ListNotebookMembersRequestJson, ListNotebookMembersResponseJson, "id">("GET", "/api/v1/notebooks/{id}/members");

/**
 * Adds an account as a member, or changes the role of a member. Needs an owner. Errors: NOT_FOUND (the notebook, or
 * the account), PERMISSION_DENIED, VALIDATION_FAILED (no owner would remain).
 */
export const setNotebookMember = /* @__PURE__ */ call<SetNotebookMemberRequestJson, NotebookMemberJson, "id">("POST", "/api/v1/notebooks/{id}/members:set", "*");

/**
 * Removes a member, who can then neither ask in the notebook nor read its conversations. Needs an owner; every member
 * may remove themselves. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (no owner would remain, or they are a
 * member through a group alone).
 */
export const removeNotebookMember = /* @__PURE__ */ call<RemoveNotebookMemberRequestJson, EmptyJson, "id" | "userId">("DELETE", "/api/v1/notebooks/{id}/members/{userId}");

/**
 * Adds a group to a notebook, or changes its role: its people are members for as long as they are in the group. Needs
 * an owner, who can add the groups that they are in, and as a superadmin every group. Errors: NOT_FOUND (the notebook,
 * or such a group), PERMISSION_DENIED, VALIDATION_FAILED (the role is that of an owner, or there would be too many).
 */
export const setNotebookGroup = /* @__PURE__ */ call<SetNotebookGroupRequestJson, NotebookGroupJson, "id">("POST", "/api/v1/notebooks/{id}/groups:set", "*");

/**
 * Removes a group from a notebook. Its people lose the role that they have through it. Needs an owner. Errors:
 * NOT_FOUND, PERMISSION_DENIED.
 */
export const removeNotebookGroup = /* @__PURE__ */ call<RemoveNotebookGroupRequestJson, EmptyJson, "id" | "groupId">("DELETE", "/api/v1/notebooks/{id}/groups/{groupId}");

/**
 * Lists the conversations of all members, newest message first. Those that have drawn on documents that the caller
 * may not read are listed without title and text. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member).
 */
export const listNotebookSessions = /* @__PURE__ */ call<ListNotebookSessionsRequestJson, ListNotebookSessionsResponseJson, "id">("GET", "/api/v1/notebooks/{id}/sessions");

/**
 * Starts a conversation with a predefined question about the documents of the notebook that the caller may read.
 * Errors: NOT_FOUND, VALIDATION_FAILED (a table without `fields`, or no source that the caller may read), and those
 * of SendMessage.
 */
export const startNotebookTemplate = /* @__PURE__ */ call<StartNotebookTemplateRequestJson, SendMessageResponseJson, "id">("POST", "/api/v1/notebooks/{id}:startTemplate", "*");

/**
 * Reads the summary of the sources that the caller may read, as they are now; other members with the same sources
 * read the same one. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member).
 */
export const getNotebookSummary = /* @__PURE__ */ call<GetNotebookSummaryRequestJson, NotebookSummaryJson, "id">("GET", "/api/v1/notebooks/{id}/summary");

/**
 * Requests a summary of the sources that the caller may read, unless there is one; after a failure it is written
 * again. It is written in the background by one request to the caller's chat model. Errors: NOT_FOUND,
 * PERMISSION_DENIED (the caller is no member).
 */
export const requestNotebookSummary = /* @__PURE__ */ call<RequestNotebookSummaryRequestJson, NotebookSummaryJson, "id">("POST", "/api/v1/notebooks/{id}:summarize", "*");
