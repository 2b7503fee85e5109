"""

Generated from echomind/public/v1/search_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.search import SearchHit, SearchMode
from echomind_lib.pb.echomind.public.v1 import search_service_pb2 as pb


class SearchRequest(ProtoModel):
    """Request of Search."""

    __proto__: ClassVar = pb.SearchRequest
    __enums__: ClassVar = {
        "mode": SearchMode,
    }

    query: Annotated[str, Field(min_length=1, max_length=4000)] = Field(description="The query.")
    limit: Annotated[_t.Int32, Field(le=500, ge=0)] = Field(
        default=0, description="Maximum number of passages to return; 0 means 10."
    )
    mode: SearchMode = Field(default=SearchMode.UNSPECIFIED, description="Search mode.")
    connector_ids: Annotated[list[_t.Int32], Field(max_length=100)] = Field(
        default_factory=list,
        description="Only passages from these connectors; empty means all that the caller may read.",
    )
    content_types: Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=20)] = Field(
        default_factory=list,
        description="Only passages from documents with these MIME types; empty means all. `text/*` matches all that start with `text/`.",
    )
    created_from: _t.Timestamp | None = Field(
        default=None,
        description="Only passages from documents that were first stored at or after this time; empty means all.",
    )
    created_before: _t.Timestamp | None = Field(
        default=None,
        description="Only passages from documents that were first stored before this time; empty means all.",
    )
    languages: Annotated[list[Annotated[str, Field(pattern="^[a-z]{2}$")]], Field(max_length=20)] = Field(
        default_factory=list,
        description="Only passages from documents in these languages, as ISO 639-1 codes such as `de`; empty means all.",
    )
    notebook_id: Annotated[_t.Int64, Field(gt=0)] | None = Field(
        default=None,
        description="Only passages from the sources of this notebook, of which the caller must be a member; unset means all documents.",
    )
    folder: Annotated[str, _r.max_bytes(2000)] = Field(
        default="",
        description="Only passages from documents in this folder and those in it, such as `Contracts/2026`: names from the top, separated by `/`; empty means all. Of files it is the beginning of `Document.source_id`, of synced documents the folder at the source.",
    )

    @classmethod
    def read_pb(cls, message: pb.SearchRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "limit": message.limit,
            "mode": SearchMode.numbers.get(message.mode, message.mode),
            "connector_ids": list(message.connector_ids),
            "content_types": list(message.content_types),
            "languages": list(message.languages),
            "folder": message.folder,
        }
        if message.HasField("created_from"):
            data["created_from"] = message.created_from.ToDatetime(UTC)
        if message.HasField("created_before"):
            data["created_before"] = message.created_before.ToDatetime(UTC)
        if message.HasField("notebook_id"):
            data["notebook_id"] = message.notebook_id
        return data

    def to_pb(self) -> pb.SearchRequest:
        """Makes a protobuf message."""
        return pb.SearchRequest(
            query=self.query,
            limit=self.limit,
            mode=self.mode.number,
            connector_ids=self.connector_ids,
            content_types=self.content_types,
            created_from=self.created_from,
            created_before=self.created_before,
            languages=self.languages,
            notebook_id=self.notebook_id,
            folder=self.folder,
        )


class SearchResponse(ProtoModel):
    """Response of Search."""

    __proto__: ClassVar = pb.SearchResponse

    hits: list[SearchHit] = Field(default_factory=list, description="The passages, best first.")
    missing: str = Field(
        default="",
        description="What the search could not do, for people: it was by words alone, as the server of the embedding model does not answer. Empty if it was complete.",
    )
    unranked: str = Field(
        default="",
        description="Why the passages are in the search's own order although a reranker is active, for people. Empty if they are not, or if none is active.",
    )

    @classmethod
    def read_pb(cls, message: pb.SearchResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "hits": [SearchHit.read_pb(each) for each in message.hits],
            "missing": message.missing,
            "unranked": message.unranked,
        }
        return data

    def to_pb(self) -> pb.SearchResponse:
        """Makes a protobuf message."""
        return pb.SearchResponse(
            hits=[each.to_pb() for each in self.hits],
            missing=self.missing,
            unranked=self.unranked,
        )


class SearchService(ABC):
    """Search for passages in the documents that the caller may read."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SearchService"]
    __methods__: ClassVar[tuple[Method, ...]] = (Method("Search", "search", SearchRequest, SearchResponse),)

    @abstractmethod
    async def search(self, request: SearchRequest, call: CallContext) -> SearchResponse:
        """Searches passages, best first. Errors: NOT_FOUND (`notebook_id`), DEPENDENCY_UNAVAILABLE."""
