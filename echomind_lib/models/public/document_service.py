"""

Generated from echomind/public/v1/document_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.document import (
    Chunk,
    Document,
    DocumentCount,
    DocumentFilter,
    DocumentFolder,
    DocumentPatch,
    DocumentSelection,
    DocumentSort,
    DocumentStatus,
    DocumentText,
    TextForm,
)
from echomind_lib.pb.echomind.public.v1 import document_service_pb2 as pb


class ListDocumentsRequest(ProtoModel):
    """Request of ListDocuments."""

    __proto__: ClassVar = pb.ListDocumentsRequest
    __enums__: ClassVar = {
        "status": DocumentStatus,
        "sort": DocumentSort,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    connector_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only documents of this connector; 0 means all."
    )
    status: DocumentStatus = Field(
        default=DocumentStatus.UNSPECIFIED, description="Only documents with this status; unset means all."
    )
    filter: DocumentFilter | None = Field(default=None, description="Filter; unset means all.")
    sort: DocumentSort = Field(default=DocumentSort.UNSPECIFIED, description="Sort order.")
    descending: bool = Field(
        default=False, description="Whether the order is reversed: newest, last in the alphabet, or largest first."
    )
    ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(max_length=100)] = Field(
        default_factory=list,
        description="Only these documents, such as those that a program waits for; empty means all. Those that do not exist, or that the caller may not read, are left out.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "connector_id": message.connector_id,
            "status": DocumentStatus.numbers.get(message.status, message.status),
            "sort": DocumentSort.numbers.get(message.sort, message.sort),
            "descending": message.descending,
            "ids": list(message.ids),
        }
        if message.HasField("filter"):
            data["filter"] = DocumentFilter.read_pb(message.filter)
        return data

    def to_pb(self) -> pb.ListDocumentsRequest:
        """Makes a protobuf message."""
        return pb.ListDocumentsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            connector_id=self.connector_id,
            status=self.status.number,
            filter=None if self.filter is None else self.filter.to_pb(),
            sort=self.sort.number,
            descending=self.descending,
            ids=self.ids,
        )


class ListDocumentsResponse(ProtoModel):
    """Response of ListDocuments."""

    __proto__: ClassVar = pb.ListDocumentsResponse

    documents: list[Document] = Field(default_factory=list, description="The documents in order.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListDocumentsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "documents": [Document.read_pb(each) for each in message.documents],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListDocumentsResponse:
        """Makes a protobuf message."""
        return pb.ListDocumentsResponse(
            documents=[each.to_pb() for each in self.documents],
            next_page_token=self.next_page_token,
        )


class CountDocumentsRequest(ProtoModel):
    """Request of CountDocuments."""

    __proto__: ClassVar = pb.CountDocumentsRequest

    filter: DocumentFilter | None = Field(default=None, description="Filter; unset means all.")

    @classmethod
    def read_pb(cls, message: pb.CountDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("filter"):
            data["filter"] = DocumentFilter.read_pb(message.filter)
        return data

    def to_pb(self) -> pb.CountDocumentsRequest:
        """Makes a protobuf message."""
        return pb.CountDocumentsRequest(
            filter=None if self.filter is None else self.filter.to_pb(),
        )


class CountDocumentsResponse(ProtoModel):
    """Response of CountDocuments. The counts by a property ignore the filter on that property, so they show what selecting
    another value would find.
    """

    __proto__: ClassVar = pb.CountDocumentsResponse

    total: _t.Int64 = Field(default=0, description="Number of documents that match.")
    total_estimated: bool = Field(
        default=False, description="Whether `total` is an estimate, which it is above 200,000."
    )
    statuses: list[DocumentCount] = Field(default_factory=list, description="By status.")
    kinds: list[DocumentCount] = Field(default_factory=list, description="By kind.")
    connectors: list[DocumentCount] = Field(
        default_factory=list, description="By connector, largest first; at most 100."
    )
    counts_estimated: bool = Field(
        default=False,
        description="Whether the counts by property are estimates, which they are if more than 200,000 documents match the query and folder.",
    )

    @classmethod
    def read_pb(cls, message: pb.CountDocumentsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "total": message.total,
            "total_estimated": message.total_estimated,
            "statuses": [DocumentCount.read_pb(each) for each in message.statuses],
            "kinds": [DocumentCount.read_pb(each) for each in message.kinds],
            "connectors": [DocumentCount.read_pb(each) for each in message.connectors],
            "counts_estimated": message.counts_estimated,
        }
        return data

    def to_pb(self) -> pb.CountDocumentsResponse:
        """Makes a protobuf message."""
        return pb.CountDocumentsResponse(
            total=self.total,
            total_estimated=self.total_estimated,
            statuses=[each.to_pb() for each in self.statuses],
            kinds=[each.to_pb() for each in self.kinds],
            connectors=[each.to_pb() for each in self.connectors],
            counts_estimated=self.counts_estimated,
        )


class ListDocumentFoldersRequest(ProtoModel):
    """Request of ListDocumentFolders."""

    __proto__: ClassVar = pb.ListDocumentFoldersRequest

    connector_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    parent: Annotated[str, _r.max_bytes(2000)] = Field(
        default="", description="The parent folder, as `DocumentFolder.path`; empty means the top level."
    )

    @classmethod
    def read_pb(cls, message: pb.ListDocumentFoldersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "parent": message.parent,
        }
        return data

    def to_pb(self) -> pb.ListDocumentFoldersRequest:
        """Makes a protobuf message."""
        return pb.ListDocumentFoldersRequest(
            connector_id=self.connector_id,
            parent=self.parent,
        )


class ListDocumentFoldersResponse(ProtoModel):
    """Response of ListDocumentFolders."""

    __proto__: ClassVar = pb.ListDocumentFoldersResponse

    folders: list[DocumentFolder] = Field(default_factory=list, description="The folders by name, at most 1000.")

    @classmethod
    def read_pb(cls, message: pb.ListDocumentFoldersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "folders": [DocumentFolder.read_pb(each) for each in message.folders],
        }
        return data

    def to_pb(self) -> pb.ListDocumentFoldersResponse:
        """Makes a protobuf message."""
        return pb.ListDocumentFoldersResponse(
            folders=[each.to_pb() for each in self.folders],
        )


class UpdateDocumentRequest(UpdateModel):
    """Request of UpdateDocument."""

    __proto__: ClassVar = pb.UpdateDocumentRequest
    __resource__: ClassVar = ("document", DocumentPatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")
    document: DocumentPatch = Field(description="The new values; only `title` can be changed.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "parent_id",
            "connector_id",
            "source_id",
            "original_url",
            "title",
            "content_type",
            "signature",
            "status",
            "status_message",
            "chunk_count",
            "size_bytes",
            "language",
            "chunking_session",
            "creation_date",
            "last_update",
            "attempts",
            "kind",
            "file_name",
            "updated_by",
            "updated_by_name",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("document"):
            data["document"] = Document.read_pb(message.document)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateDocumentRequest:
        """Makes a protobuf message."""
        return pb.UpdateDocumentRequest(
            id=self.id,
            document=None if self.document is None else self.document.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteDocumentsRequest(ProtoModel):
    """Request of DeleteDocuments."""

    __proto__: ClassVar = pb.DeleteDocumentsRequest

    selection: DocumentSelection = Field(description="The documents.")

    @classmethod
    def read_pb(cls, message: pb.DeleteDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("selection"):
            data["selection"] = DocumentSelection.read_pb(message.selection)
        return data

    def to_pb(self) -> pb.DeleteDocumentsRequest:
        """Makes a protobuf message."""
        return pb.DeleteDocumentsRequest(
            selection=None if self.selection is None else self.selection.to_pb(),
        )


class RetryDocumentsRequest(ProtoModel):
    """Request of RetryDocuments."""

    __proto__: ClassVar = pb.RetryDocumentsRequest

    selection: DocumentSelection = Field(description="The documents.")

    @classmethod
    def read_pb(cls, message: pb.RetryDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("selection"):
            data["selection"] = DocumentSelection.read_pb(message.selection)
        return data

    def to_pb(self) -> pb.RetryDocumentsRequest:
        """Makes a protobuf message."""
        return pb.RetryDocumentsRequest(
            selection=None if self.selection is None else self.selection.to_pb(),
        )


class MoveDocumentsRequest(ProtoModel):
    """Request of MoveDocuments."""

    __proto__: ClassVar = pb.MoveDocumentsRequest

    selection: DocumentSelection = Field(description="The documents.")
    connector_id: Annotated[_t.Int32, Field(gt=0)] = Field(
        description="ID of the target: a connector of files that the caller may change."
    )

    @classmethod
    def read_pb(cls, message: pb.MoveDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
        }
        if message.HasField("selection"):
            data["selection"] = DocumentSelection.read_pb(message.selection)
        return data

    def to_pb(self) -> pb.MoveDocumentsRequest:
        """Makes a protobuf message."""
        return pb.MoveDocumentsRequest(
            selection=None if self.selection is None else self.selection.to_pb(),
            connector_id=self.connector_id,
        )


class ChangeDocumentsResponse(ProtoModel):
    """Response of DeleteDocuments, RetryDocuments and MoveDocuments."""

    __proto__: ClassVar = pb.ChangeDocumentsResponse

    documents: _t.Int64 = Field(default=0, description="Number of documents changed.")
    in_background: bool = Field(
        default=False, description="Whether some are changed after the response, by a durable background job."
    )

    @classmethod
    def read_pb(cls, message: pb.ChangeDocumentsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "documents": message.documents,
            "in_background": message.in_background,
        }
        return data

    def to_pb(self) -> pb.ChangeDocumentsResponse:
        """Makes a protobuf message."""
        return pb.ChangeDocumentsResponse(
            documents=self.documents,
            in_background=self.in_background,
        )


class GetDocumentRequest(ProtoModel):
    """Request of GetDocument."""

    __proto__: ClassVar = pb.GetDocumentRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")

    @classmethod
    def read_pb(cls, message: pb.GetDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetDocumentRequest:
        """Makes a protobuf message."""
        return pb.GetDocumentRequest(
            id=self.id,
        )


class UploadDocumentRequest(ProtoModel):
    """Request of UploadDocument."""

    __proto__: ClassVar = pb.UploadDocumentRequest

    connector_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the connector; 0 means the caller's own files."
    )
    source_id: Annotated[str, Field(min_length=1), _r.max_bytes(2000)] = Field(
        description="File name, or path relative to its folder: its ID in the connector."
    )
    content: Annotated[_t.Bytes, Field(min_length=1)] = Field(description="Content of the file.")
    content_type: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Its MIME type; empty means detected from name and content."
    )
    title: Annotated[str, Field(max_length=1000), _r.NAME] = Field(
        default="", description="Its title; empty means the name. Truncated to 300 characters."
    )

    @classmethod
    def read_pb(cls, message: pb.UploadDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "source_id": message.source_id,
            "content": message.content,
            "content_type": message.content_type,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.UploadDocumentRequest:
        """Makes a protobuf message."""
        return pb.UploadDocumentRequest(
            connector_id=self.connector_id,
            source_id=self.source_id,
            content=self.content,
            content_type=self.content_type,
            title=self.title,
        )


class DeleteDocumentRequest(ProtoModel):
    """Request of DeleteDocument."""

    __proto__: ClassVar = pb.DeleteDocumentRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")

    @classmethod
    def read_pb(cls, message: pb.DeleteDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteDocumentRequest:
        """Makes a protobuf message."""
        return pb.DeleteDocumentRequest(
            id=self.id,
        )


class PurgeDocumentRequest(ProtoModel):
    """Request of PurgeDocument."""

    __proto__: ClassVar = pb.PurgeDocumentRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")

    @classmethod
    def read_pb(cls, message: pb.PurgeDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PurgeDocumentRequest:
        """Makes a protobuf message."""
        return pb.PurgeDocumentRequest(
            id=self.id,
        )


class RetryDocumentRequest(ProtoModel):
    """Request of RetryDocument."""

    __proto__: ClassVar = pb.RetryDocumentRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")

    @classmethod
    def read_pb(cls, message: pb.RetryDocumentRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RetryDocumentRequest:
        """Makes a protobuf message."""
        return pb.RetryDocumentRequest(
            id=self.id,
        )


class GetDocumentTextRequest(ProtoModel):
    """Request of GetDocumentText."""

    __proto__: ClassVar = pb.GetDocumentTextRequest
    __enums__: ClassVar = {
        "form": TextForm,
    }

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")
    start: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="First code point.")
    end: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Last code point, exclusive; 0 means 20,000 after `start`. At most 100,000 are returned."
    )
    form: TextForm = Field(
        default=TextForm.UNSPECIFIED,
        description="Format; unset means plain text. Markdown is cut at line breaks, so the part may start up to 2,000 code points before `start` and end before `end`. Plain text is returned if there is no Markdown: for PDF and plain text files, and for documents that were processed before EchoMind stored it, until they are processed again.",
    )

    @classmethod
    def read_pb(cls, message: pb.GetDocumentTextRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "start": message.start,
            "end": message.end,
            "form": TextForm.numbers.get(message.form, message.form),
        }
        return data

    def to_pb(self) -> pb.GetDocumentTextRequest:
        """Makes a protobuf message."""
        return pb.GetDocumentTextRequest(
            id=self.id,
            start=self.start,
            end=self.end,
            form=self.form.number,
        )


class ListDocumentChunksRequest(ProtoModel):
    """Request of ListDocumentChunks."""

    __proto__: ClassVar = pb.ListDocumentChunksRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the document.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListDocumentChunksRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListDocumentChunksRequest:
        """Makes a protobuf message."""
        return pb.ListDocumentChunksRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListDocumentChunksResponse(ProtoModel):
    """Response of ListDocumentChunks."""

    __proto__: ClassVar = pb.ListDocumentChunksResponse

    chunks: list[Chunk] = Field(default_factory=list, description="The passages in order.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListDocumentChunksResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chunks": [Chunk.read_pb(each) for each in message.chunks],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListDocumentChunksResponse:
        """Makes a protobuf message."""
        return pb.ListDocumentChunksResponse(
            chunks=[each.to_pb() for each in self.chunks],
            next_page_token=self.next_page_token,
        )


class DocumentService(ABC):
    """Documents. Larger files are uploaded as multipart to `POST /api/v1/documents:upload`; `GET
    /api/v1/documents/{id}:download` returns the file.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["DocumentService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListDocuments", "list_documents", ListDocumentsRequest, ListDocumentsResponse),
        Method("CountDocuments", "count_documents", CountDocumentsRequest, CountDocumentsResponse),
        Method("ListDocumentFolders", "list_document_folders", ListDocumentFoldersRequest, ListDocumentFoldersResponse),
        Method("GetDocument", "get_document", GetDocumentRequest, Document),
        Method("UploadDocument", "upload_document", UploadDocumentRequest, Document),
        Method("UpdateDocument", "update_document", UpdateDocumentRequest, Document),
        Method("DeleteDocuments", "delete_documents", DeleteDocumentsRequest, ChangeDocumentsResponse),
        Method("RetryDocuments", "retry_documents", RetryDocumentsRequest, ChangeDocumentsResponse),
        Method("MoveDocuments", "move_documents", MoveDocumentsRequest, ChangeDocumentsResponse),
        Method("DeleteDocument", "delete_document", DeleteDocumentRequest, Empty),
        Method("PurgeDocument", "purge_document", PurgeDocumentRequest, Empty),
        Method("RetryDocument", "retry_document", RetryDocumentRequest, Document),
        Method("GetDocumentText", "get_document_text", GetDocumentTextRequest, DocumentText),
        Method("ListDocumentChunks", "list_document_chunks", ListDocumentChunksRequest, ListDocumentChunksResponse),
    )

    @abstractmethod
    async def list_documents(self, request: ListDocumentsRequest, call: CallContext) -> ListDocumentsResponse:
        """Lists the documents that the caller may read and that match, newest first unless `sort` is set."""

    @abstractmethod
    async def count_documents(self, request: CountDocumentsRequest, call: CallContext) -> CountDocumentsResponse:
        """Counts the documents that the caller may read and that match: in total and by property."""

    @abstractmethod
    async def list_document_folders(
        self, request: ListDocumentFoldersRequest, call: CallContext
    ) -> ListDocumentFoldersResponse:
        """Lists the folders of a connector, by name. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_document(self, request: GetDocumentRequest, call: CallContext) -> Document:
        """Reads one document. Errors: NOT_FOUND."""

    @abstractmethod
    async def upload_document(self, request: UploadDocumentRequest, call: CallContext) -> Document:
        """Stores a file and queues it for processing (gRPC only; REST has the multipart upload). A file that is already
        stored unchanged is returned as is. Errors: NOT_FOUND, PERMISSION_DENIED, FILE_REJECTED.
        """

    @abstractmethod
    async def update_document(self, request: UpdateDocumentRequest, call: CallContext) -> Document:
        """Updates the `title` of a document, for new answers and searches. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def delete_documents(self, request: DeleteDocumentsRequest, call: CallContext) -> ChangeDocumentsResponse:
        """Removes documents. With a filter, documents that the caller may not change are skipped. Errors: NOT_FOUND and
        PERMISSION_DENIED for any of the IDs; then nothing is removed.
        """

    @abstractmethod
    async def retry_documents(self, request: RetryDocumentsRequest, call: CallContext) -> ChangeDocumentsResponse:
        """Processes documents again from their stored files; documents that are queued or being processed are skipped.
        Errors: as DeleteDocuments.
        """

    @abstractmethod
    async def move_documents(self, request: MoveDocumentsRequest, call: CallContext) -> ChangeDocumentsResponse:
        """Moves documents to another connector of files, whose readers can read them from then on. Documents that are queued
        or being processed, and those whose path already exists there, are skipped. Errors: as DeleteDocuments; also
        NOT_FOUND, PERMISSION_DENIED and VALIDATION_FAILED for the connector, ALREADY_EXISTS for a path of one of the IDs,
        and DELETION_HELD (your organization has to keep one of them where it is).
        """

    @abstractmethod
    async def delete_document(self, request: DeleteDocumentRequest, call: CallContext) -> Empty:
        """Removes a document, which becomes invisible immediately. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def purge_document(self, request: PurgeDocumentRequest, call: CallContext) -> Empty:
        """Removes a document and deletes its passages, file and text before it returns. Quotes in conversations are kept
        until those are purged. Audited. Errors: NOT_FOUND, PERMISSION_DENIED, DEPENDENCY_UNAVAILABLE (it is hidden and
        deleted later).
        """

    @abstractmethod
    async def retry_document(self, request: RetryDocumentRequest, call: CallContext) -> Document:
        """Processes a document again from its stored file. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def get_document_text(self, request: GetDocumentTextRequest, call: CallContext) -> DocumentText:
        """Reads a part of a document's extracted text. Errors: NOT_FOUND, DOCUMENT_NOT_READY."""

    @abstractmethod
    async def list_document_chunks(
        self, request: ListDocumentChunksRequest, call: CallContext
    ) -> ListDocumentChunksResponse:
        """Lists a document's passages in order. Errors: NOT_FOUND."""
