// Generated from echomind/public/v1/notebook_note_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { NotebookNoteJson } from "./notebook_note_pb.js";
import type { CreateNotebookNoteRequestJson, DeleteNotebookNoteRequestJson, GetNotebookNoteRequestJson, ListNotebookNotesRequestJson, ListNotebookNotesResponseJson, SaveNotebookNoteRequestJson, UpdateNotebookNoteRequestJson } from "./notebook_note_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/**
 * Lists the notes of a notebook that the caller may read, newest first. Errors: NOT_FOUND, PERMISSION_DENIED (the
 * caller is no member).
 */
export const listNotebookNotes = /* @__PURE__ */ call<ListNotebookNotesRequestJson, ListNotebookNotesResponseJson, "notebookId">("GET", "/api/v1/notebooks/{notebookId}/notes");

/** Reads one note. Errors: NOT_FOUND. */
export const getNotebookNote = /* @__PURE__ */ call<GetNotebookNoteRequestJson, NotebookNoteJson, "id">("GET", "/api/v1/notebook-notes/{id}");

/** Writes a note by hand. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member). */
export const createNotebookNote = /* @__PURE__ */ call<CreateNotebookNoteRequestJson, NotebookNoteJson, "notebookId">("POST", "/api/v1/notebooks/{notebookId}/notes", "note");

/**
 * Saves a completed answer of a conversation of the notebook as a note, with its citations. Errors: NOT_FOUND (the
 * notebook, or an answer in it that the caller may read), PERMISSION_DENIED, VALIDATION_FAILED (it is no completed
 * answer).
 */
export const saveNotebookNote = /* @__PURE__ */ call<SaveNotebookNoteRequestJson, NotebookNoteJson, "notebookId">("POST", "/api/v1/notebooks/{notebookId}/notes:save", "*");

/**
 * Updates `title` or `content`. Needs its author or an editor. Errors: NOT_FOUND, PERMISSION_DENIED, CHANGED_SINCE_READ
 * (somebody has changed it since `expected_last_update`).
 */
export const updateNotebookNote = /* @__PURE__ */ call<Omit<UpdateNotebookNoteRequestJson, "updateMask">, NotebookNoteJson, "id">("PATCH", "/api/v1/notebook-notes/{id}", "note");

/** Deletes a note permanently. Needs its author or an editor. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteNotebookNote = /* @__PURE__ */ call<DeleteNotebookNoteRequestJson, EmptyJson, "id">("DELETE", "/api/v1/notebook-notes/{id}");
