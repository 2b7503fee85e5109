"""Checkpoints: states of a conversation to go back to.

Generated from echomind/public/v1/checkpoint.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession
from echomind_lib.pb.echomind.public.v1 import checkpoint_pb2 as pb


class CheckpointType(ProtoEnum):
    """Why a checkpoint was made."""

    UNSPECIFIED = "CHECKPOINT_TYPE_UNSPECIFIED", 0
    """Not said."""
    MANUAL = "CHECKPOINT_TYPE_MANUAL", 1
    """A person asked for it."""
    AUTO = "CHECKPOINT_TYPE_AUTO", 2
    """Before something that changes the session's state: a restore, or a move of its head."""
    BEFORE_TOOL = "CHECKPOINT_TYPE_BEFORE_TOOL", 3
    """Before a tool with a side effect."""
    MILESTONE = "CHECKPOINT_TYPE_MILESTONE", 4
    """All todos of a plan were done."""


class Checkpoint(ProtoModel):
    """A state of a conversation."""

    __proto__: ClassVar = pb.Checkpoint
    __enums__: ClassVar = {
        "checkpoint_type": CheckpointType,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    chat_session_id: _t.Int32 = Field(default=0, description="Its session; set by the server.")
    run_id: str = Field(default="", description="The run that was at work; empty when none was. Set by the server.")
    name: Annotated[str, Field(max_length=255)] = Field(
        default="", description="Its name; empty means that the server gives one."
    )
    description: Annotated[str, Field(max_length=10000)] = Field(default="", description="More about it; may be empty.")
    checkpoint_type: CheckpointType = Field(
        default=CheckpointType.UNSPECIFIED, description="Why it was made; set by the server."
    )
    step_number: _t.Int32 = Field(
        default=0, description="The run's step at which it was made; 0 when no run was at work. Set by the server."
    )
    session_state: _t.Struct | None = Field(
        default=None, description="The state: head, plan and context. Left out of lists; set by the server."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was made; set by the server.")

    @classmethod
    def read_pb(cls, message: pb.Checkpoint) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "run_id": message.run_id,
            "name": message.name,
            "description": message.description,
            "checkpoint_type": CheckpointType.numbers.get(message.checkpoint_type, message.checkpoint_type),
            "step_number": message.step_number,
        }
        if message.HasField("session_state"):
            data["session_state"] = _t.from_struct(message.session_state)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Checkpoint:
        """Makes a protobuf message."""
        return pb.Checkpoint(
            id=self.id,
            chat_session_id=self.chat_session_id,
            run_id=self.run_id,
            name=self.name,
            description=self.description,
            checkpoint_type=self.checkpoint_type.number,
            step_number=self.step_number,
            session_state=self.session_state,
            creation_date=self.creation_date,
        )


class ListCheckpointsRequest(ProtoModel):
    """Request of ListCheckpoints."""

    __proto__: ClassVar = pb.ListCheckpointsRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to go on: `next_page_token` of the page before.")

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
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which checkpoint.")

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

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    checkpoint: Checkpoint = Field(description="The checkpoint; `name` and `description` count.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which checkpoint.")

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

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="Which checkpoint.")

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
    """States of a conversation to go back to: its head, its plan and its context."""

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
        """Makes a checkpoint of a session as it is now. Errors: NOT_FOUND."""

    @abstractmethod
    async def restore_checkpoint(self, request: RestoreCheckpointRequest, call: CallContext) -> ChatSession:
        """Goes back to a checkpoint: later messages stay as a branch, todos and context are as they were. The state before is
        kept as an automatic checkpoint. Errors: NOT_FOUND, RUN_ACTIVE.
        """

    @abstractmethod
    async def delete_checkpoint(self, request: DeleteCheckpointRequest, call: CallContext) -> Empty:
        """Removes a checkpoint. Errors: NOT_FOUND."""
