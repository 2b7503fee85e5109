"""

Generated from echomind/public/v1/memory_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.memory import Memory, MemoryPatch, MemoryType
from echomind_lib.pb.echomind.public.v1 import memory_service_pb2 as pb


class ListMemoriesRequest(ProtoModel):
    """Request of ListMemories."""

    __proto__: ClassVar = pb.ListMemoriesRequest
    __enums__: ClassVar = {
        "memory_type": MemoryType,
    }

    memory_type: MemoryType = Field(
        default=MemoryType.UNSPECIFIED, description="Only memories of this type; unspecified means all."
    )
    with_history: bool = Field(
        default=False, description="Whether to include memories that were replaced or withdrawn or have expired."
    )
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only memories whose only source is this conversation; 0 means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListMemoriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "memory_type": MemoryType.numbers.get(message.memory_type, message.memory_type),
            "with_history": message.with_history,
            "page_size": message.page_size,
            "page_token": message.page_token,
            "chat_session_id": message.chat_session_id,
        }
        return data

    def to_pb(self) -> pb.ListMemoriesRequest:
        """Makes a protobuf message."""
        return pb.ListMemoriesRequest(
            memory_type=self.memory_type.number,
            with_history=self.with_history,
            page_size=self.page_size,
            page_token=self.page_token,
            chat_session_id=self.chat_session_id,
        )


class ListMemoriesResponse(ProtoModel):
    """Response of ListMemories."""

    __proto__: ClassVar = pb.ListMemoriesResponse

    memories: list[Memory] = Field(default_factory=list, description="The memories.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListMemoriesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "memories": [Memory.read_pb(each) for each in message.memories],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListMemoriesResponse:
        """Makes a protobuf message."""
        return pb.ListMemoriesResponse(
            memories=[each.to_pb() for each in self.memories],
            next_page_token=self.next_page_token,
        )


class SearchMemoriesRequest(ProtoModel):
    """Request of SearchMemories."""

    __proto__: ClassVar = pb.SearchMemoriesRequest
    __enums__: ClassVar = {
        "memory_type": MemoryType,
    }

    query: Annotated[str, Field(min_length=1, max_length=2000)] = Field(description="The query.")
    memory_type: MemoryType = Field(
        default=MemoryType.UNSPECIFIED, description="Only memories of this type; unspecified means all."
    )
    limit: Annotated[_t.Int32, Field(le=48, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 8."
    )

    @classmethod
    def read_pb(cls, message: pb.SearchMemoriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "memory_type": MemoryType.numbers.get(message.memory_type, message.memory_type),
            "limit": message.limit,
        }
        return data

    def to_pb(self) -> pb.SearchMemoriesRequest:
        """Makes a protobuf message."""
        return pb.SearchMemoriesRequest(
            query=self.query,
            memory_type=self.memory_type.number,
            limit=self.limit,
        )


class MemoryHit(ProtoModel):
    """A memory that matches a query."""

    __proto__: ClassVar = pb.MemoryHit

    memory: Memory | None = Field(default=None, description="The memory.")
    cosine: _t.Float = Field(default=0.0, description="Cosine similarity to the query, -1 to 1.")
    score: _t.Float = Field(default=0.0, description="Ranking score from similarity, importance and age, 0 to 1.")

    @classmethod
    def read_pb(cls, message: pb.MemoryHit) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "cosine": message.cosine,
            "score": message.score,
        }
        if message.HasField("memory"):
            data["memory"] = Memory.read_pb(message.memory)
        return data

    def to_pb(self) -> pb.MemoryHit:
        """Makes a protobuf message."""
        return pb.MemoryHit(
            memory=None if self.memory is None else self.memory.to_pb(),
            cosine=self.cosine,
            score=self.score,
        )


class SearchMemoriesResponse(ProtoModel):
    """Response of SearchMemories."""

    __proto__: ClassVar = pb.SearchMemoriesResponse

    hits: list[MemoryHit] = Field(default_factory=list, description="The memories, best first; empty if none matches.")

    @classmethod
    def read_pb(cls, message: pb.SearchMemoriesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "hits": [MemoryHit.read_pb(each) for each in message.hits],
        }
        return data

    def to_pb(self) -> pb.SearchMemoriesResponse:
        """Makes a protobuf message."""
        return pb.SearchMemoriesResponse(
            hits=[each.to_pb() for each in self.hits],
        )


class GetMemoryRequest(ProtoModel):
    """Request of GetMemory."""

    __proto__: ClassVar = pb.GetMemoryRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the memory.")

    @classmethod
    def read_pb(cls, message: pb.GetMemoryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetMemoryRequest:
        """Makes a protobuf message."""
        return pb.GetMemoryRequest(
            id=self.id,
        )


class CreateMemoryRequest(ProtoModel):
    """Request of CreateMemory."""

    __proto__: ClassVar = pb.CreateMemoryRequest

    memory: Memory = Field(description="The memory.")

    @classmethod
    def read_pb(cls, message: pb.CreateMemoryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("memory"):
            data["memory"] = Memory.read_pb(message.memory)
        return data

    def to_pb(self) -> pb.CreateMemoryRequest:
        """Makes a protobuf message."""
        return pb.CreateMemoryRequest(
            memory=None if self.memory is None else self.memory.to_pb(),
        )


class UpdateMemoryRequest(UpdateModel):
    """Request of UpdateMemory."""

    __proto__: ClassVar = pb.UpdateMemoryRequest
    __resource__: ClassVar = ("memory", MemoryPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the memory.")
    memory: MemoryPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "memory_type",
            "content",
            "importance_score",
            "confidence",
            "trust",
            "access_count",
            "last_accessed_at",
            "source_session_id",
            "source_message_ids",
            "creation_date",
            "last_update",
            "expires_at",
            "valid_to",
            "superseded_by",
            "updated_by",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateMemoryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("memory"):
            data["memory"] = Memory.read_pb(message.memory)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateMemoryRequest:
        """Makes a protobuf message."""
        return pb.UpdateMemoryRequest(
            id=self.id,
            memory=None if self.memory is None else self.memory.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteMemoryRequest(ProtoModel):
    """Request of DeleteMemory."""

    __proto__: ClassVar = pb.DeleteMemoryRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the memory.")

    @classmethod
    def read_pb(cls, message: pb.DeleteMemoryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteMemoryRequest:
        """Makes a protobuf message."""
        return pb.DeleteMemoryRequest(
            id=self.id,
        )


class DeleteAllMemoriesRequest(ProtoModel):
    """Request of DeleteAllMemories."""

    __proto__: ClassVar = pb.DeleteAllMemoriesRequest

    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only memories whose only source is this conversation; 0 means all."
    )

    @classmethod
    def read_pb(cls, message: pb.DeleteAllMemoriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
        }
        return data

    def to_pb(self) -> pb.DeleteAllMemoriesRequest:
        """Makes a protobuf message."""
        return pb.DeleteAllMemoriesRequest(
            chat_session_id=self.chat_session_id,
        )


class DeleteAllMemoriesResponse(ProtoModel):
    """Response of DeleteAllMemories and EraseMemories."""

    __proto__: ClassVar = pb.DeleteAllMemoriesResponse

    deleted: _t.Int32 = Field(default=0, description="Number of deleted rows, including replaced memories.")

    @classmethod
    def read_pb(cls, message: pb.DeleteAllMemoriesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "deleted": message.deleted,
        }
        return data

    def to_pb(self) -> pb.DeleteAllMemoriesResponse:
        """Makes a protobuf message."""
        return pb.DeleteAllMemoriesResponse(
            deleted=self.deleted,
        )


class EraseMemoriesRequest(ProtoModel):
    """Request of EraseMemories."""

    __proto__: ClassVar = pb.EraseMemoriesRequest

    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the user.")

    @classmethod
    def read_pb(cls, message: pb.EraseMemoriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.EraseMemoriesRequest:
        """Makes a protobuf message."""
        return pb.EraseMemoriesRequest(
            user_id=self.user_id,
        )


class MemoryService(ABC):
    """Memories: what EchoMind remembers of a user across conversations, extracted when they are idle or written by hand.
    Users see only their own; a memory that is based on documents is hidden while its user may not read all of them.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["MemoryService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListMemories", "list_memories", ListMemoriesRequest, ListMemoriesResponse),
        Method("SearchMemories", "search_memories", SearchMemoriesRequest, SearchMemoriesResponse),
        Method("GetMemory", "get_memory", GetMemoryRequest, Memory),
        Method("CreateMemory", "create_memory", CreateMemoryRequest, Memory),
        Method("UpdateMemory", "update_memory", UpdateMemoryRequest, Memory),
        Method("DeleteMemory", "delete_memory", DeleteMemoryRequest, Empty),
        Method("DeleteAllMemories", "delete_all_memories", DeleteAllMemoriesRequest, DeleteAllMemoriesResponse),
        Method("EraseMemories", "erase_memories", EraseMemoriesRequest, DeleteAllMemoriesResponse),
    )

    @abstractmethod
    async def list_memories(self, request: ListMemoriesRequest, call: CallContext) -> ListMemoriesResponse:
        """Lists the caller's memories, newest first."""

    @abstractmethod
    async def search_memories(self, request: SearchMemoriesRequest, call: CallContext) -> SearchMemoriesResponse:
        """Searches the caller's memories by meaning, ranked as for an answer. Errors: DEPENDENCY_UNAVAILABLE."""

    @abstractmethod
    async def get_memory(self, request: GetMemoryRequest, call: CallContext) -> Memory:
        """Reads one memory. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_memory(self, request: CreateMemoryRequest, call: CallContext) -> Memory:
        """Creates a memory by hand. Errors: VALIDATION_FAILED (it is empty, or contains a secret)."""

    @abstractmethod
    async def update_memory(self, request: UpdateMemoryRequest, call: CallContext) -> Memory:
        """Updates `content`, `memory_type`, `importance_score` or `expires_at`. Errors: NOT_FOUND (also for a memory that was
        replaced), VALIDATION_FAILED.
        """

    @abstractmethod
    async def delete_memory(self, request: DeleteMemoryRequest, call: CallContext) -> Empty:
        """Deletes a memory permanently, with all earlier versions that it replaced. Errors: NOT_FOUND."""

    @abstractmethod
    async def delete_all_memories(
        self, request: DeleteAllMemoriesRequest, call: CallContext
    ) -> DeleteAllMemoriesResponse:
        """Deletes all memories of the caller permanently; with `chat_session_id` only those whose only source it is. Memories
        that other conversations state as well, or that were written by hand, are kept without it as a source.
        """

    @abstractmethod
    async def erase_memories(self, request: EraseMemoriesRequest, call: CallContext) -> DeleteAllMemoriesResponse:
        """Deletes all memories of a user permanently, without showing them. Needs `superadmin`; a key needs the scope
        `administer`; audited. Errors: NOT_FOUND.
        """
