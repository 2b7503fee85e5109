"""

Generated from echomind/public/v1/checkpoint_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession
from echomind_lib.models.public.checkpoint import Checkpoint
from echomind_lib.pb.echomind.public.v1 import checkpoint_service_pb2 as pb


class ListCheckpointsRequest(ProtoModel):
    """Request of ListCheckpoints."""

    __proto__: ClassVar = pb.ListCheckpointsRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListCheckpointsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListCheckpointsRequest:
        """Makes a protobuf message."""
        return pb.ListCheckpointsRequest(
            chat_session_id=self.chat_session_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListCheckpointsResponse(ProtoModel):
    """Response of ListCheckpoints."""

    __proto__: ClassVar = pb.ListCheckpointsResponse

    checkpoints: list[Checkpoint] = Field(default_factory=list, description="The checkpoints, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListCheckpointsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "checkpoints": [Checkpoint.read_pb(each) for each in message.checkpoints],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListCheckpointsResponse:
        """Makes a protobuf message."""
        return pb.ListCheckpointsResponse(
            checkpoints=[each.to_pb() for each in self.checkpoints],
            next_page_token=self.next_page_token,
        )


class GetCheckpointRequest(ProtoModel):
    """Request of GetCheckpoint."""

    __proto__: ClassVar = pb.GetCheckpointRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the checkpoint.")

    @classmethod
    def read_pb(cls, message: pb.GetCheckpointRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetCheckpointRequest:
        """Makes a protobuf message."""
        return pb.GetCheckpointRequest(
            id=self.id,
        )


class CreateCheckpointRequest(ProtoModel):
    """Request of CreateCheckpoint."""

    __proto__: ClassVar = pb.CreateCheckpointRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    checkpoint: Checkpoint = Field(description="The checkpoint; only `name` and `description` are used.")

    @classmethod
    def read_pb(cls, message: pb.CreateCheckpointRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
        }
        if message.HasField("checkpoint"):
            data["checkpoint"] = Checkpoint.read_pb(message.checkpoint)
        return data

    def to_pb(self) -> pb.CreateCheckpointRequest:
        """Makes a protobuf message."""
        return pb.CreateCheckpointRequest(
            chat_session_id=self.chat_session_id,
            checkpoint=None if self.checkpoint is None else self.checkpoint.to_pb(),
        )


class RestoreCheckpointRequest(ProtoModel):
    """Request of RestoreCheckpoint."""

    __proto__: ClassVar = pb.RestoreCheckpointRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the checkpoint.")

    @classmethod
    def read_pb(cls, message: pb.RestoreCheckpointRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RestoreCheckpointRequest:
        """Makes a protobuf message."""
        return pb.RestoreCheckpointRequest(
            id=self.id,
        )


class DeleteCheckpointRequest(ProtoModel):
    """Request of DeleteCheckpoint."""

    __proto__: ClassVar = pb.DeleteCheckpointRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the checkpoint.")

    @classmethod
    def read_pb(cls, message: pb.DeleteCheckpointRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteCheckpointRequest:
        """Makes a protobuf message."""
        return pb.DeleteCheckpointRequest(
            id=self.id,
        )


class CheckpointService(ABC):
    """Checkpoints of a conversation: its head, its plan and its context, which can be restored."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["CheckpointService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListCheckpoints", "list_checkpoints", ListCheckpointsRequest, ListCheckpointsResponse),
        Method("GetCheckpoint", "get_checkpoint", GetCheckpointRequest, Checkpoint),
        Method("CreateCheckpoint", "create_checkpoint", CreateCheckpointRequest, Checkpoint),
        Method("RestoreCheckpoint", "restore_checkpoint", RestoreCheckpointRequest, ChatSession),
        Method("DeleteCheckpoint", "delete_checkpoint", DeleteCheckpointRequest, Empty),
    )

    @abstractmethod
    async def list_checkpoints(self, request: ListCheckpointsRequest, call: CallContext) -> ListCheckpointsResponse:
        """Lists a session's checkpoints, newest first. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_checkpoint(self, request: GetCheckpointRequest, call: CallContext) -> Checkpoint:
        """Reads one checkpoint with its state. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_checkpoint(self, request: CreateCheckpointRequest, call: CallContext) -> Checkpoint:
        """Creates a checkpoint of a session's current state. Errors: NOT_FOUND."""

    @abstractmethod
    async def restore_checkpoint(self, request: RestoreCheckpointRequest, call: CallContext) -> ChatSession:
        """Restores a checkpoint: later messages stay as a branch; todos and context are restored. The previous state is saved
        as an automatic checkpoint. Errors: NOT_FOUND, RUN_ACTIVE.
        """

    @abstractmethod
    async def delete_checkpoint(self, request: DeleteCheckpointRequest, call: CallContext) -> Empty:
        """Deletes a checkpoint. Errors: NOT_FOUND."""
