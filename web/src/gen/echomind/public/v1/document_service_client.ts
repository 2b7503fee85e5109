// Generated from echomind/public/v1/document_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { DocumentJson, DocumentTextJson } from "./document_pb.js";
import type { DeleteDocumentRequestJson, GetDocumentRequestJson, GetDocumentTextRequestJson, ListDocumentChunksRequestJson, ListDocumentChunksResponseJson, ListDocumentsRequestJson, ListDocumentsResponseJson, PurgeDocumentRequestJson, RetryDocumentRequestJson } from "./document_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the documents that the caller may read, newest first. */
export const listDocuments = /* @__PURE__ */ call<ListDocumentsRequestJson, ListDocumentsResponseJson>("GET", "/api/v1/documents");

/** Reads one document. Errors: NOT_FOUND. */
export const getDocument = /* @__PURE__ */ call<GetDocumentRequestJson, DocumentJson, "id">("GET", "/api/v1/documents/{id}");

/** Removes a document; it is invisible at once. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const deleteDocument = /* @__PURE__ */ call<DeleteDocumentRequestJson, EmptyJson, "id">("DELETE", "/api/v1/documents/{id}");

/**
 * Removes a document and deletes its passages, bytes and text before it answers. What conversations have quoted of it
 * stays until they are purged. Audited. Errors: NOT_FOUND, PERMISSION_DENIED, DEPENDENCY_UNAVAILABLE (it is hidden
 * and deleted later).
 */
export const purgeDocument = /* @__PURE__ */ call<PurgeDocumentRequestJson, EmptyJson, "id">("POST", "/api/v1/documents/{id}:purge", "*");

/** Processes a document again from its stored bytes. Errors: NOT_FOUND, PERMISSION_DENIED. */
export const retryDocument = /* @__PURE__ */ call<RetryDocumentRequestJson, DocumentJson, "id">("POST", "/api/v1/documents/{id}:retry", "*");

/** Reads a part of a document's extracted text. Errors: NOT_FOUND, DOCUMENT_NOT_READY. */
export const getDocumentText = /* @__PURE__ */ call<GetDocumentTextRequestJson, DocumentTextJson, "id">("GET", "/api/v1/documents/{id}/text");

/** Lists a document's passages in order. Errors: NOT_FOUND. */
export const listDocumentChunks = /* @__PURE__ */ call<ListDocumentChunksRequestJson, ListDocumentChunksResponseJson, "id">("GET", "/api/v1/documents/{id}/chunks");
