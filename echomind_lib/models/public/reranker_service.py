"""

Generated from echomind/public/v1/reranker_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.reranker import Reranker, RerankerPatch
from echomind_lib.pb.echomind.public.v1 import reranker_service_pb2 as pb


class ListRerankersRequest(ProtoModel):
    """Request of ListRerankers."""

    __proto__: ClassVar = pb.ListRerankersRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListRerankersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListRerankersRequest:
        """Makes a protobuf message."""
        return pb.ListRerankersRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListRerankersResponse(ProtoModel):
    """Response of ListRerankers."""

    __proto__: ClassVar = pb.ListRerankersResponse

    rerankers: list[Reranker] = Field(default_factory=list, description="The rerankers.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListRerankersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "rerankers": [Reranker.read_pb(each) for each in message.rerankers],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListRerankersResponse:
        """Makes a protobuf message."""
        return pb.ListRerankersResponse(
            rerankers=[each.to_pb() for each in self.rerankers],
            next_page_token=self.next_page_token,
        )


class GetRerankerRequest(ProtoModel):
    """Request of GetReranker."""

    __proto__: ClassVar = pb.GetRerankerRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the reranker.")

    @classmethod
    def read_pb(cls, message: pb.GetRerankerRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetRerankerRequest:
        """Makes a protobuf message."""
        return pb.GetRerankerRequest(
            id=self.id,
        )


class CreateRerankerRequest(ProtoModel):
    """Request of CreateReranker."""

    __proto__: ClassVar = pb.CreateRerankerRequest

    reranker: Reranker = Field(description="The reranker.")

    @classmethod
    def read_pb(cls, message: pb.CreateRerankerRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("reranker"):
            data["reranker"] = Reranker.read_pb(message.reranker)
        return data

    def to_pb(self) -> pb.CreateRerankerRequest:
        """Makes a protobuf message."""
        return pb.CreateRerankerRequest(
            reranker=None if self.reranker is None else self.reranker.to_pb(),
        )


class UpdateRerankerRequest(UpdateModel):
    """Request of UpdateReranker."""

    __proto__: ClassVar = pb.UpdateRerankerRequest
    __resource__: ClassVar = ("reranker", RerankerPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the reranker.")
    reranker: RerankerPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "protocol",
            "model_id",
            "endpoint",
            "api_key",
            "has_api_key",
            "candidates",
            "timeout_ms",
            "is_active",
            "creation_date",
            "last_update",
            "updated_by",
            "updated_by_name",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateRerankerRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("reranker"):
            data["reranker"] = Reranker.read_pb(message.reranker)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateRerankerRequest:
        """Makes a protobuf message."""
        return pb.UpdateRerankerRequest(
            id=self.id,
            reranker=None if self.reranker is None else self.reranker.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteRerankerRequest(ProtoModel):
    """Request of DeleteReranker."""

    __proto__: ClassVar = pb.DeleteRerankerRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the reranker.")

    @classmethod
    def read_pb(cls, message: pb.DeleteRerankerRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteRerankerRequest:
        """Makes a protobuf message."""
        return pb.DeleteRerankerRequest(
            id=self.id,
        )


class TestRerankerRequest(ProtoModel):
    """Request of TestReranker."""

    __proto__: ClassVar = pb.TestRerankerRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the reranker.")

    @classmethod
    def read_pb(cls, message: pb.TestRerankerRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.TestRerankerRequest:
        """Makes a protobuf message."""
        return pb.TestRerankerRequest(
            id=self.id,
        )


class TestRerankerResponse(ProtoModel):
    """Response of TestReranker."""

    __proto__: ClassVar = pb.TestRerankerResponse

    ok: bool = Field(default=False, description="Whether it can be used.")
    message: str = Field(default="", description="What was found, or why it cannot be used and what to do.")
    latency_ms: _t.Int32 = Field(
        default=0, description="Average time for a question with its passages, in milliseconds."
    )

    @classmethod
    def read_pb(cls, message: pb.TestRerankerResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "ok": message.ok,
            "message": message.message,
            "latency_ms": message.latency_ms,
        }
        return data

    def to_pb(self) -> pb.TestRerankerResponse:
        """Makes a protobuf message."""
        return pb.TestRerankerResponse(
            ok=self.ok,
            message=self.message,
            latency_ms=self.latency_ms,
        )


class RerankerService(ABC):
    """Models of servers that order the passages of searches. Every call needs `superadmin`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["RerankerService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListRerankers", "list_rerankers", ListRerankersRequest, ListRerankersResponse),
        Method("GetReranker", "get_reranker", GetRerankerRequest, Reranker),
        Method("CreateReranker", "create_reranker", CreateRerankerRequest, Reranker),
        Method("UpdateReranker", "update_reranker", UpdateRerankerRequest, Reranker),
        Method("DeleteReranker", "delete_reranker", DeleteRerankerRequest, Empty),
        Method("TestReranker", "test_reranker", TestRerankerRequest, TestRerankerResponse),
    )

    @abstractmethod
    async def list_rerankers(self, request: ListRerankersRequest, call: CallContext) -> ListRerankersResponse:
        """Lists the rerankers, by ID."""

    @abstractmethod
    async def get_reranker(self, request: GetRerankerRequest, call: CallContext) -> Reranker:
        """Reads one reranker. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_reranker(self, request: CreateRerankerRequest, call: CallContext) -> Reranker:
        """Adds a reranker; an active one is tested first. Errors: ENDPOINT_REFUSED, ALREADY_EXISTS (`name`),
        VALIDATION_FAILED (`endpoint`: it is not a URL, or the test failed, and why).
        """

    @abstractmethod
    async def update_reranker(self, request: UpdateRerankerRequest, call: CallContext) -> Reranker:
        """Updates a reranker. It is tested first if it becomes active, or is active and its server or model changes. Errors:
        NOT_FOUND, and those of CreateReranker.
        """

    @abstractmethod
    async def delete_reranker(self, request: DeleteRerankerRequest, call: CallContext) -> Empty:
        """Removes a reranker with its key; searches then have their own order. Errors: NOT_FOUND."""

    @abstractmethod
    async def test_reranker(self, request: TestRerankerRequest, call: CallContext) -> TestRerankerResponse:
        """Lets a stored reranker order the passages of some questions, and returns how often the right one is first. Stores
        nothing. Errors: NOT_FOUND.
        """
