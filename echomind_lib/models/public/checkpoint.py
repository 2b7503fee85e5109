"""

Generated from echomind/public/v1/checkpoint.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import checkpoint_pb2 as pb


class CheckpointType(ProtoEnum):
    """Why a checkpoint was created."""

    UNSPECIFIED = "CHECKPOINT_TYPE_UNSPECIFIED", 0
    """Unspecified."""
    MANUAL = "CHECKPOINT_TYPE_MANUAL", 1
    """Requested by a person."""
    AUTO = "CHECKPOINT_TYPE_AUTO", 2
    """Before a change of the session's state: a restore, or a move of its head."""
    BEFORE_TOOL = "CHECKPOINT_TYPE_BEFORE_TOOL", 3
    """Before a tool with a side effect."""
    MILESTONE = "CHECKPOINT_TYPE_MILESTONE", 4
    """All todos of a plan were completed."""


class Checkpoint(ProtoModel):
    """A saved state of a conversation."""

    __proto__: ClassVar = pb.Checkpoint
    __enums__: ClassVar = {
        "checkpoint_type": CheckpointType,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    chat_session_id: _t.Int32 = Field(default=0, description="ID of its session; set by the server.")
    run_id: str = Field(default="", description="ID of the active run; empty if there was none. Set by the server.")
    name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="", description="Its name; empty lets the server choose one."
    )
    description: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="Its description; may be empty."
    )
    checkpoint_type: CheckpointType = Field(
        default=CheckpointType.UNSPECIFIED, description="Why it was created; set by the server."
    )
    step_number: _t.Int32 = Field(
        default=0, description="Step of the active run; 0 if no run was active. Set by the server."
    )
    session_state: _t.Struct | None = Field(
        default=None,
        description="The state: the fields `headMessageId`, `goal`, `status`, `preferences`, `importantSteps`, `summary` and `lastSummarizedMessageId` of ChatSession as far as they were set, its plans as `todos`, each a Todo, and the agent's own notes as `context`. Omitted from lists; set by the server.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")

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
