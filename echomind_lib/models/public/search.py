"""

Generated from echomind/public/v1/search.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import search_pb2 as pb


class SearchMode(ProtoEnum):
    """How passages are searched."""

    UNSPECIFIED = "SEARCH_MODE_UNSPECIFIED", 0
    """As SEARCH_MODE_HYBRID."""
    HYBRID = "SEARCH_MODE_HYBRID", 1
    """Semantic and keyword search, fused."""
    DENSE = "SEARCH_MODE_DENSE", 2
    """Semantic search only (dense vectors)."""
    LEXICAL = "SEARCH_MODE_LEXICAL", 3
    """Keyword search only (BM25)."""


class SearchHit(ProtoModel):
    """A passage that matches a query."""

    __proto__: ClassVar = pb.SearchHit

    document_id: _t.Int64 = Field(default=0, description="ID of its document.")
    title: str = Field(default="", description="The document's title.")
    chunk_id: str = Field(default="", description="ID of the passage.")
    text: str = Field(default="", description="Text of the passage.")
    score: _t.Float = Field(
        default=0.0,
        description="How well it matches, 0 to 1; hits are ordered by it. For the best hit the similarity of meaning, or the share of the query's words if meaning was not compared; for the others in proportion to it, by the ranking that fuses both. Comparable within one response only.",
    )
    heading: list[str] = Field(default_factory=list, description="Headings above it, outermost first.")
    page: _t.Int32 | None = Field(
        default=None, description="Page number, starting at 1; unset for documents without pages."
    )
    start: _t.Int32 = Field(default=0, description="Start in the document's text, in code points.")
    end: _t.Int32 = Field(default=0, description="End in the document's text, in code points, exclusive.")
    connector_id: _t.Int32 = Field(default=0, description="ID of the document's connector.")
    content_type: str = Field(default="", description="MIME type of the document; empty if unknown.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which the document was first stored.")
    file_name: str = Field(default="", description="Name of the document's file.")
    snippet: str = Field(default="", description="`text` without markup, on one line.")
    is_weak: bool = Field(
        default=False,
        description="Whether it has little in common with the query, in meaning and words: it is only the closest there is.",
    )
    copy_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="IDs of other documents that contain it, too, and have no hit of their own for it: with the same bytes, or with the same title and the same words under the same headings.",
    )

    @classmethod
    def read_pb(cls, message: pb.SearchHit) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "text": message.text,
            "score": message.score,
            "heading": list(message.heading),
            "start": message.start,
            "end": message.end,
            "connector_id": message.connector_id,
            "content_type": message.content_type,
            "file_name": message.file_name,
            "snippet": message.snippet,
            "is_weak": message.is_weak,
            "copy_ids": list(message.copy_ids),
        }
        if message.HasField("page"):
            data["page"] = message.page
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SearchHit:
        """Makes a protobuf message."""
        return pb.SearchHit(
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            text=self.text,
            score=self.score,
            heading=self.heading,
            page=self.page,
            start=self.start,
            end=self.end,
            connector_id=self.connector_id,
            content_type=self.content_type,
            creation_date=self.creation_date,
            file_name=self.file_name,
            snippet=self.snippet,
            is_weak=self.is_weak,
            copy_ids=self.copy_ids,
        )
