"""

Generated from echomind/public/v1/document_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.document import Chunk, Document, DocumentStatus, DocumentText
from echomind_lib.pb.echomind.public.v1 import document_service_pb2 as pb


class ListDocumentsRequest(ProtoModel):
    """Request of ListDocuments."""

    __proto__: ClassVar = pb.ListDocumentsRequest
    __enums__: ClassVar = {
        "status": DocumentStatus,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")
    connector_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only those of this connector; 0 means all."
    )
    status: DocumentStatus = Field(
        default=DocumentStatus.UNSPECIFIED, description="Only those with this status; unset means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "connector_id": message.connector_id,
            "status": DocumentStatus.numbers.get(message.status, message.status),
        }
        return data

    def to_pb(self) -> pb.ListDocumentsRequest:
        """Makes a protobuf message."""
        return pb.ListDocumentsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            connector_id=self.connector_id,
            status=self.status.number,
        )


class ListDocumentsResponse(ProtoModel):
    """Response of ListDocuments."""

    __proto__: ClassVar = pb.ListDocumentsResponse

    documents: list[Document] = Field(default_factory=list, description="The documents, newest first.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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


class GetDocumentRequest(ProtoModel):
    """Request of GetDocument."""

    __proto__: ClassVar = pb.GetDocumentRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")

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
        default=0, description="Connector to put it in; 0 means the caller's own files."
    )
    source_id: Annotated[str, Field(min_length=1), _r.max_bytes(2000)] = Field(
        description="The file's name, or its path relative to the folder that it comes from; its identifier in the connector."
    )
    content: Annotated[_t.Bytes, Field(min_length=1)] = Field(description="The file's bytes.")
    content_type: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Its MIME type; empty means by name and content."
    )
    title: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Its title; empty means the name. More than 300 characters are cut."
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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")
    start: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="First code point.")
    end: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Last code point, exclusive; 0 means 20,000 after `start`. More than 100,000 at once are cut to that.",
    )

    @classmethod
    def read_pb(cls, message: pb.GetDocumentTextRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "start": message.start,
            "end": message.end,
        }
        return data

    def to_pb(self) -> pb.GetDocumentTextRequest:
        """Makes a protobuf message."""
        return pb.GetDocumentTextRequest(
            id=self.id,
            start=self.start,
            end=self.end,
        )


class ListDocumentChunksRequest(ProtoModel):
    """Request of ListDocumentChunks."""

    __proto__: ClassVar = pb.ListDocumentChunksRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which document.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")

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
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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
    """Documents. Larger files go by multipart to `POST /api/v1/documents:upload`; the bytes come back from
    `GET /api/v1/documents/{id}:download`.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["DocumentService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListDocuments", "list_documents", ListDocumentsRequest, ListDocumentsResponse),
        Method("GetDocument", "get_document", GetDocumentRequest, Document),
        Method("UploadDocument", "upload_document", UploadDocumentRequest, Document),
        Method("DeleteDocument", "delete_document", DeleteDocumentRequest, Empty),
        Method("PurgeDocument", "purge_document", PurgeDocumentRequest, Empty),
        Method("RetryDocument", "retry_document", RetryDocumentRequest, Document),
        Method("GetDocumentText", "get_document_text", GetDocumentTextRequest, DocumentText),
        Method("ListDocumentChunks", "list_document_chunks", ListDocumentChunksRequest, ListDocumentChunksResponse),
    )

    @abstractmethod
    async def list_documents(self, request: ListDocumentsRequest, call: CallContext) -> ListDocumentsResponse:
        """Lists the documents that the caller may read, newest first."""

    @abstractmethod
    async def get_document(self, request: GetDocumentRequest, call: CallContext) -> Document:
        """Reads one document. Errors: NOT_FOUND."""

    @abstractmethod
    async def upload_document(self, request: UploadDocumentRequest, call: CallContext) -> Document:
        """Stores a file and queues it for processing (gRPC only; REST has the multipart upload). A file that is stored
        already comes back as it is. Errors: NOT_FOUND, PERMISSION_DENIED, FILE_REJECTED.
        """

    @abstractmethod
    async def delete_document(self, request: DeleteDocumentRequest, call: CallContext) -> Empty:
        """Removes a document; it is invisible at once. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def purge_document(self, request: PurgeDocumentRequest, call: CallContext) -> Empty:
        """Removes a document and deletes its passages, bytes and text before it answers. What conversations have quoted of it
        stays until they are purged. Audited. Errors: NOT_FOUND, PERMISSION_DENIED, DEPENDENCY_UNAVAILABLE (it is hidden
        and deleted later).
        """

    @abstractmethod
    async def retry_document(self, request: RetryDocumentRequest, call: CallContext) -> Document:
        """Processes a document again from its stored bytes. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def get_document_text(self, request: GetDocumentTextRequest, call: CallContext) -> DocumentText:
        """Reads a part of a document's extracted text. Errors: NOT_FOUND, DOCUMENT_NOT_READY."""

    @abstractmethod
    async def list_document_chunks(
        self, request: ListDocumentChunksRequest, call: CallContext
    ) -> ListDocumentChunksResponse:
        """Lists a document's passages in order. Errors: NOT_FOUND."""
