// Generated from echomind/public/v1/document_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DocumentJson, DocumentTextJson } from "./document_pb.js";
import type { ChangeDocumentsResponseJson, CountDocumentsRequestJson, CountDocumentsResponseJson, DeleteDocumentRequestJson, DeleteDocumentsRequestJson, GetDocumentRequestJson, GetDocumentTextRequestJson, ListDocumentChunksRequestJson, ListDocumentChunksResponseJson, ListDocumentFoldersRequestJson, ListDocumentFoldersResponseJson, ListDocumentsRequestJson, ListDocumentsResponseJson, MoveDocumentsRequestJson, PurgeDocumentRequestJson, RetryDocumentRequestJson, RetryDocumentsRequestJson, UpdateDocumentRequestJson } from "./document_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the documents that the caller may read and that match, newest first unless `sort` is set. */
export const listDocuments = /* @__PURE__ */ call<ListDocumentsRequestJson, ListDocumentsResponseJson>("GET", "/api/v1/documents");

/** Counts the documents that the caller may read and that match: in total and by property. */
export const countDocuments = /* @__PURE__ */ call<CountDocumentsRequestJson, CountDocumentsResponseJson>("GET", "/api/v1/documents:count");

/** Lists the folders of a connector, by name. Errors: NOT_FOUND. */
export const listDocumentFolders = /* @__PURE__ */ call<ListDocumentFoldersRequestJson, ListDocumentFoldersResponseJson, "connectorId">("GET", "/api/v1/connectors/{connectorId}/folders");

/** Reads one document. Errors: NOT_FOUND. */
export const getDocument = /* @__PURE__ */ call<GetDocumentRequestJson, DocumentJson, "id">("GET", "/api/v1/documents/{id}");

/** Updates the `title` of a document, for new answers and searches. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const updateDocument = /* @__PURE__ */ call<Omit<UpdateDocumentRequestJson, "updateMask">, DocumentJson, "id">("PATCH", "/api/v1/documents/{id}", "document");

/**
 * Removes documents. With a filter, documents that the caller may not change are skipped. Errors: NOT_FOUND and
 * PERMISSION_DENIED for any of the IDs; then nothing is removed.
 */
export const deleteDocuments = /* @__PURE__ */ call<DeleteDocumentsRequestJson, ChangeDocumentsResponseJson>("POST", "/api/v1/documents:delete", "*");

/**
 * Processes documents again from their stored files; documents that are queued or being processed are skipped.
 * Errors: as DeleteDocuments.
 */
export const retryDocuments = /* @__PURE__ */ call<RetryDocumentsRequestJson, ChangeDocumentsResponseJson>("POST", "/api/v1/documents:retry", "*");

/**
 * Moves documents to another connector of files, whose readers can read them from then on. Documents that are queued
 * or being processed, and those whose path already exists there, are skipped. Errors: as DeleteDocuments; also
 * NOT_FOUND, PERMISSION_DENIED and VALIDATION_FAILED for the connector, ALREADY_EXISTS for a path of one of the IDs,
 * and DELETION_HELD (your organization has to keep one of them where it is).
 */
export const moveDocuments = /* @__PURE__ */ call<MoveDocumentsRequestJson, ChangeDocumentsResponseJson>("POST", "/api/v1/documents:move", "*");

/** Removes a document, which becomes invisible immediately. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteDocument = /* @__PURE__ */ call<DeleteDocumentRequestJson, EmptyJson, "id">("DELETE", "/api/v1/documents/{id}");

/**
 * Removes a document and deletes its passages, file and text before it returns. Quotes in conversations are kept
 * until those are purged. Audited. Errors: NOT_FOUND, PERMISSION_DENIED, DEPENDENCY_UNAVAILABLE (it is hidden and
 * deleted later).
 */
export const purgeDocument = /* @__PURE__ */ call<PurgeDocumentRequestJson, EmptyJson, "id">("POST", "/api/v1/documents/{id}:purge", "*");

/** Processes a document again from its stored file. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const retryDocument = /* @__PURE__ */ call<RetryDocumentRequestJson, DocumentJson, "id">("POST", "/api/v1/documents/{id}:retry", "*");

/** Reads a part of a document's extracted text. Errors: NOT_FOUND, DOCUMENT_NOT_READY. */
export const getDocumentText = /* @__PURE__ */ call<GetDocumentTextRequestJson, DocumentTextJson, "id">("GET", "/api/v1/documents/{id}/text");

/** Lists a document's passages in order. Errors: NOT_FOUND. */
export const listDocumentChunks = /* @__PURE__ */ call<ListDocumentChunksRequestJson, ListDocumentChunksResponseJson, "id">("GET", "/api/v1/documents/{id}/chunks");
