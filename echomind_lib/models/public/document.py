"""

Generated from echomind/public/v1/document.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import Scope
from echomind_lib.pb.echomind.public.v1 import document_pb2 as pb


class DocumentStatus(ProtoEnum):
    """Status of a document."""

    UNSPECIFIED = "DOCUMENT_STATUS_UNSPECIFIED", 0
    """Unspecified; in a filter: any."""
    PENDING = "DOCUMENT_STATUS_PENDING", 1
    """Queued for processing."""
    PROCESSING = "DOCUMENT_STATUS_PROCESSING", 2
    """Being processed; an earlier version, if there is one, can still be found."""
    COMPLETED = "DOCUMENT_STATUS_COMPLETED", 3
    """Indexed: searches find it."""
    FAILED = "DOCUMENT_STATUS_FAILED", 4
    """Processing failed; `status_message` says why."""


class DocumentKind(ProtoEnum):
    """Kind of a file, by its MIME type."""

    UNSPECIFIED = "DOCUMENT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    PDF = "DOCUMENT_KIND_PDF", 1
    """PDF."""
    TEXT = "DOCUMENT_KIND_TEXT", 2
    """Plain text, Markdown, source code, JSON, XML."""
    WEB_PAGE = "DOCUMENT_KIND_WEB_PAGE", 3
    """HTML."""
    WORD = "DOCUMENT_KIND_WORD", 4
    """Word processor documents, such as DOCX and ODT."""
    SPREADSHEET = "DOCUMENT_KIND_SPREADSHEET", 5
    """Spreadsheets and tables, such as XLSX, ODS and CSV."""
    PRESENTATION = "DOCUMENT_KIND_PRESENTATION", 6
    """Slides, such as PPTX and ODP."""
    EMAIL = "DOCUMENT_KIND_EMAIL", 7
    """E-mails, such as EML and MSG."""
    IMAGE = "DOCUMENT_KIND_IMAGE", 8
    """Images."""
    OTHER = "DOCUMENT_KIND_OTHER", 9
    """Anything else."""
    ARCHIVE = "DOCUMENT_KIND_ARCHIVE", 10
    """Archives, such as ZIP and TAR: each file in them is a document of its own."""


class DocumentSort(ProtoEnum):
    """Sort order of documents."""

    UNSPECIFIED = "DOCUMENT_SORT_UNSPECIFIED", 0
    """Newest first, regardless of `descending`."""
    ADDED = "DOCUMENT_SORT_ADDED", 1
    """By the time at which they were first stored."""
    TITLE = "DOCUMENT_SORT_TITLE", 2
    """By title, case-insensitively."""
    SIZE = "DOCUMENT_SORT_SIZE", 3
    """By size."""


class TextForm(ProtoEnum):
    """Format of a document's text."""

    UNSPECIFIED = "TEXT_FORM_UNSPECIFIED", 0
    """Unspecified."""
    PLAIN = "TEXT_FORM_PLAIN", 1
    """Plain text, as it is split into passages: offsets of passages and citations refer to it."""
    MARKDOWN = "TEXT_FORM_MARKDOWN", 2
    """Markdown with headings, lists and tables. An e-mail begins with its headers as front matter."""


class DocumentFilter(ProtoModel):
    """A filter of documents; every field that is set narrows it."""

    __proto__: ClassVar = pb.DocumentFilter
    __enums__: ClassVar = {
        "statuses": DocumentStatus,
        "kinds": DocumentKind,
        "scope": Scope,
    }

    query: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Words that must all occur in the title or path, case-insensitively; parts of words match.",
    )
    statuses: Annotated[list[DocumentStatus], Field(max_length=10)] = Field(
        default_factory=list, description="Only documents with one of these statuses; empty means all."
    )
    kinds: Annotated[list[DocumentKind], Field(max_length=20)] = Field(
        default_factory=list, description="Only documents of one of these kinds; empty means all."
    )
    connector_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=1000)] = Field(
        default_factory=list, description="Only documents of one of these connectors; empty means all."
    )
    folder: Annotated[str, _r.max_bytes(2000)] = Field(
        default="",
        description="Only documents in this folder and its subfolders: a prefix of `source_id` without the last `/`; empty means all.",
    )
    scope: Scope = Field(default=Scope.UNSPECIFIED, description="Only documents with this scope; unset means all.")
    group: Annotated[str, Field(max_length=255)] = Field(
        default="", description="With SCOPE_GROUP: only documents of this group; empty means all groups."
    )
    parent_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="Only the files directly within this document, such as attachments of an e-mail; 0 means all documents.",
    )

    @classmethod
    def read_pb(cls, message: pb.DocumentFilter) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "statuses": [DocumentStatus.numbers.get(each, each) for each in message.statuses],
            "kinds": [DocumentKind.numbers.get(each, each) for each in message.kinds],
            "connector_ids": list(message.connector_ids),
            "folder": message.folder,
            "scope": Scope.numbers.get(message.scope, message.scope),
            "group": message.group,
            "parent_id": message.parent_id,
        }
        return data

    def to_pb(self) -> pb.DocumentFilter:
        """Makes a protobuf message."""
        return pb.DocumentFilter(
            query=self.query,
            statuses=[each.number for each in self.statuses],
            kinds=[each.number for each in self.kinds],
            connector_ids=self.connector_ids,
            folder=self.folder,
            scope=self.scope.number,
            group=self.group,
            parent_id=self.parent_id,
        )


class DocumentSelection(ProtoModel):
    """Documents to change: by their IDs, or all that match a filter."""

    __proto__: ClassVar = pb.DocumentSelection

    ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(max_length=1000)] = Field(
        default_factory=list, description="IDs of the documents; empty if `filter` is set."
    )
    filter: DocumentFilter | None = Field(
        default=None,
        description="All documents that match now and that the caller may change, however many; unset if `ids` is set. An empty filter means all.",
    )

    @classmethod
    def read_pb(cls, message: pb.DocumentSelection) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "ids": list(message.ids),
        }
        if message.HasField("filter"):
            data["filter"] = DocumentFilter.read_pb(message.filter)
        return data

    def to_pb(self) -> pb.DocumentSelection:
        """Makes a protobuf message."""
        return pb.DocumentSelection(
            ids=self.ids,
            filter=None if self.filter is None else self.filter.to_pb(),
        )


class DocumentCount(ProtoModel):
    """Number of documents with a value of a property."""

    __proto__: ClassVar = pb.DocumentCount

    value: str = Field(
        default="", description="The value: the name of a DocumentStatus or DocumentKind, or the ID of a connector."
    )
    documents: _t.Int64 = Field(default=0, description="Number of documents; an estimate if `counts_estimated` is set.")

    @classmethod
    def read_pb(cls, message: pb.DocumentCount) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "value": message.value,
            "documents": message.documents,
        }
        return data

    def to_pb(self) -> pb.DocumentCount:
        """Makes a protobuf message."""
        return pb.DocumentCount(
            value=self.value,
            documents=self.documents,
        )


class DocumentFolder(ProtoModel):
    """A folder of a connector, derived from the paths of its documents."""

    __proto__: ClassVar = pb.DocumentFolder

    name: str = Field(default="", description="Last component of its path.")
    path: str = Field(default="", description="Its path, as `DocumentFilter.folder`.")
    documents: _t.Int64 = Field(default=0, description="Number of documents in it and its subfolders.")

    @classmethod
    def read_pb(cls, message: pb.DocumentFolder) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "path": message.path,
            "documents": message.documents,
        }
        return data

    def to_pb(self) -> pb.DocumentFolder:
        """Makes a protobuf message."""
        return pb.DocumentFolder(
            name=self.name,
            path=self.path,
            documents=self.documents,
        )


class Document(ProtoModel):
    """A document."""

    __proto__: ClassVar = pb.Document
    __enums__: ClassVar = {
        "status": DocumentStatus,
        "kind": DocumentKind,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    parent_id: _t.Int64 | None = Field(
        default=None,
        description="ID of the document that it belongs to: a thread, or the e-mail or archive that holds it; empty for none.",
    )
    connector_id: _t.Int32 = Field(default=0, description="ID of the connector.")
    source_id: str = Field(default="", description="Its ID at the source; for files the relative path.")
    original_url: str = Field(default="", description="URL of the document at its source; may be empty.")
    title: Annotated[str, Field(max_length=300), _r.NAME] = Field(
        default="", description="Its title, one line of at most 300 characters."
    )
    content_type: str = Field(default="", description="Its MIME type.")
    signature: str = Field(default="", description="SHA-256 of its bytes, in hexadecimal.")
    status: DocumentStatus = Field(default=DocumentStatus.UNSPECIFIED, description="Status.")
    status_message: str = Field(default="", description="Progress or error; may be empty.")
    chunk_count: _t.Int32 = Field(default=0, description="Number of its passages.")
    size_bytes: _t.Int64 = Field(default=0, description="Its size in bytes.")
    language: str = Field(default="", description="ISO 639-1 code of its language; empty if unknown.")
    chunking_session: str = Field(
        default="",
        description="ID of the processing that created its passages; the offsets of citations refer to its text. Empty before the first.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was first stored.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    attempts: _t.Int32 = Field(
        default=0,
        description="Number of processing attempts since it was last uploaded or retried. It fails after 3 attempts, or after 8 if a server did not answer.",
    )
    kind: DocumentKind = Field(default=DocumentKind.UNSPECIFIED, description="Kind of the file.")
    file_name: str = Field(
        default="",
        description="Name of its file: at its source if it was synced, else the last part of `source_id`. A title may be changed.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone who does not manage its connector. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
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
            "kind": DocumentKind.numbers.get(message.kind, message.kind),
            "file_name": message.file_name,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
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
            kind=self.kind.number,
            file_name=self.file_name,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )


class DocumentPatch(PatchModel, Document):
    """New values of Document: what is not given stays as it is, null resets to the default."""


class DocumentText(ProtoModel):
    """A part of a document's text."""

    __proto__: ClassVar = pb.DocumentText
    __enums__: ClassVar = {
        "form": TextForm,
    }

    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="The document's title.")
    text: str = Field(default="", description="The text.")
    start: _t.Int32 = Field(default=0, description="Start of the part, in code points.")
    end: _t.Int32 = Field(default=0, description="End of the part, in code points, exclusive.")
    length: _t.Int32 = Field(default=0, description="Length of the whole text, in code points.")
    chunking_session: str = Field(default="", description="ID of the processing that created this text.")
    form: TextForm = Field(default=TextForm.UNSPECIFIED, description="Format of the text.")
    table_head: str = Field(
        default="",
        description="In Markdown, the header row of the table in which the part starts, and the line below it; empty otherwise.",
    )

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
            "form": TextForm.numbers.get(message.form, message.form),
            "table_head": message.table_head,
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
            form=self.form.number,
            table_head=self.table_head,
        )


class ChunkSection(ProtoModel):
    """A section that begins within a passage."""

    __proto__: ClassVar = pb.ChunkSection

    start: _t.Int32 = Field(default=0, description="Start in the document's text, in code points.")
    heading: list[str] = Field(default_factory=list, description="Its headings, outermost first.")

    @classmethod
    def read_pb(cls, message: pb.ChunkSection) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "start": message.start,
            "heading": list(message.heading),
        }
        return data

    def to_pb(self) -> pb.ChunkSection:
        """Makes a protobuf message."""
        return pb.ChunkSection(
            start=self.start,
            heading=self.heading,
        )


class Chunk(ProtoModel):
    """A passage: the unit that is embedded, found and cited."""

    __proto__: ClassVar = pb.Chunk

    id: str = Field(default="", description="Identifier.")
    position: _t.Int32 = Field(default=0, description="Position in the document, starting at 0.")
    text: str = Field(default="", description="Text of the passage.")
    heading: list[str] = Field(default_factory=list, description="Headings above it, outermost first.")
    page: _t.Int32 | None = Field(
        default=None, description="Page number, starting at 1; unset for documents without pages."
    )
    start: _t.Int32 = Field(default=0, description="Start in the document's text, in code points.")
    end: _t.Int32 = Field(default=0, description="End in the document's text, in code points, exclusive.")
    later_sections: list[ChunkSection] = Field(
        default_factory=list,
        description="The sections that begin within it, after its start, in order; short ones are one passage with the next.",
    )

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
            "later_sections": [ChunkSection.read_pb(each) for each in message.later_sections],
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
            later_sections=[each.to_pb() for each in self.later_sections],
        )
