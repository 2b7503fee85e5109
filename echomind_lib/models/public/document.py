"""

Generated from echomind/public/v1/document.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import document_pb2 as pb


class DocumentStatus(ProtoEnum):
    """How far a document is."""

    UNSPECIFIED = "DOCUMENT_STATUS_UNSPECIFIED", 0
    """Unspecified; in a filter: any."""
    PENDING = "DOCUMENT_STATUS_PENDING", 1
    """Waiting to be processed."""
    PROCESSING = "DOCUMENT_STATUS_PROCESSING", 2
    """Being processed; an earlier version, if there is one, is still found."""
    COMPLETED = "DOCUMENT_STATUS_COMPLETED", 3
    """Found by searches."""
    FAILED = "DOCUMENT_STATUS_FAILED", 4
    """Could not be processed; `status_message` says why."""


class Document(ProtoModel):
    """A document."""

    __proto__: ClassVar = pb.Document
    __enums__: ClassVar = {
        "status": DocumentStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    parent_id: _t.Int64 | None = Field(
        default=None, description="The document that it belongs to (folder, thread, mail); empty when none."
    )
    connector_id: _t.Int32 = Field(default=0, description="Its connector.")
    source_id: str = Field(default="", description="Its identifier at the source, for files the relative path.")
    original_url: str = Field(default="", description="Where it can be opened at its source; may be empty.")
    title: str = Field(default="", description="Its title, one line of at most 300 characters.")
    content_type: str = Field(default="", description="Its MIME type.")
    signature: str = Field(default="", description="SHA-256 of its bytes, in hexadecimal.")
    status: DocumentStatus = Field(default=DocumentStatus.UNSPECIFIED, description="How far it is.")
    status_message: str = Field(default="", description="Progress or failure in words; may be empty.")
    chunk_count: _t.Int32 = Field(default=0, description="How many passages it has.")
    size_bytes: _t.Int64 = Field(default=0, description="Its size in bytes.")
    language: str = Field(default="", description="Its language as an ISO 639-1 code; empty when unknown.")
    chunking_session: str = Field(
        default="",
        description="Names the processing that made the passages; offsets of citations refer to its text. Empty before the first.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was first stored.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it last changed; empty when never.")
    attempts: _t.Int32 = Field(
        default=0,
        description="How often its processing was begun since it was last uploaded or retried. After 3 attempts that fail by themselves it is `failed`, or after 8 when what EchoMind runs on did not answer.",
    )

    @classmethod
    def read_pb(cls, message: pb.Document) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "connector_id": message.connector_id,
            "source_id": message.source_id,
            "original_url": message.original_url,
            "title": message.title,
            "content_type": message.content_type,
            "signature": message.signature,
            "status": DocumentStatus.numbers.get(message.status, message.status),
            "status_message": message.status_message,
            "chunk_count": message.chunk_count,
            "size_bytes": message.size_bytes,
            "language": message.language,
            "chunking_session": message.chunking_session,
            "attempts": message.attempts,
        }
        if message.HasField("parent_id"):
            data["parent_id"] = message.parent_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Document:
        """Makes a protobuf message."""
        return pb.Document(
            id=self.id,
            parent_id=self.parent_id,
            connector_id=self.connector_id,
            source_id=self.source_id,
            original_url=self.original_url,
            title=self.title,
            content_type=self.content_type,
            signature=self.signature,
            status=self.status.number,
            status_message=self.status_message,
            chunk_count=self.chunk_count,
            size_bytes=self.size_bytes,
            language=self.language,
            chunking_session=self.chunking_session,
            creation_date=self.creation_date,
            last_update=self.last_update,
            attempts=self.attempts,
        )


class DocumentText(ProtoModel):
    """A part of a document's text."""

    __proto__: ClassVar = pb.DocumentText

    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="The document's title.")
    text: str = Field(default="", description="The part.")
    start: _t.Int32 = Field(default=0, description="Where the part begins, in code points.")
    end: _t.Int32 = Field(default=0, description="Where the part ends, in code points, exclusive.")
    length: _t.Int32 = Field(default=0, description="How long the whole text is, in code points.")
    chunking_session: str = Field(default="", description="Names the processing that made this text.")

    @classmethod
    def read_pb(cls, message: pb.DocumentText) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "title": message.title,
            "text": message.text,
            "start": message.start,
            "end": message.end,
            "length": message.length,
            "chunking_session": message.chunking_session,
        }
        return data

    def to_pb(self) -> pb.DocumentText:
        """Makes a protobuf message."""
        return pb.DocumentText(
            document_id=self.document_id,
            title=self.title,
            text=self.text,
            start=self.start,
            end=self.end,
            length=self.length,
            chunking_session=self.chunking_session,
        )


class Chunk(ProtoModel):
    """A passage: what is embedded, found and cited."""

    __proto__: ClassVar = pb.Chunk

    id: str = Field(default="", description="Identifier.")
    position: _t.Int32 = Field(default=0, description="Place in the document, from 0.")
    text: str = Field(default="", description="The passage.")
    heading: list[str] = Field(default_factory=list, description="The headings above it, outermost first.")
    page: _t.Int32 | None = Field(default=None, description="Its page, from 1; empty where there are none.")
    start: _t.Int32 = Field(default=0, description="Where it begins in the document's text, in code points.")
    end: _t.Int32 = Field(default=0, description="Where it ends in the document's text, in code points, exclusive.")

    @classmethod
    def read_pb(cls, message: pb.Chunk) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "position": message.position,
            "text": message.text,
            "heading": list(message.heading),
            "start": message.start,
            "end": message.end,
        }
        if message.HasField("page"):
            data["page"] = message.page
        return data

    def to_pb(self) -> pb.Chunk:
        """Makes a protobuf message."""
        return pb.Chunk(
            id=self.id,
            position=self.position,
            text=self.text,
            heading=self.heading,
            page=self.page,
            start=self.start,
            end=self.end,
        )
