"""

Generated from echomind/public/v1/todo.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import todo_pb2 as pb


class TodoStatus(ProtoEnum):
    """Status of a todo."""

    UNSPECIFIED = "TODO_STATUS_UNSPECIFIED", 0
    """As TODO_STATUS_PENDING."""
    PENDING = "TODO_STATUS_PENDING", 1
    """Not started."""
    IN_PROGRESS = "TODO_STATUS_IN_PROGRESS", 2
    """Being worked on."""
    COMPLETED = "TODO_STATUS_COMPLETED", 3
    """Completed."""
    CANCELLED = "TODO_STATUS_CANCELLED", 4
    """Cancelled: no longer needed."""
    FAILED = "TODO_STATUS_FAILED", 5
    """Failed; `error` says why."""


class Todo(ProtoModel):
    """A task of a plan."""

    __proto__: ClassVar = pb.Todo
    __enums__: ClassVar = {
        "status": TodoStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    chat_session_id: _t.Int32 = Field(default=0, description="ID of its session; set by the server.")
    run_id: str = Field(
        default="", description="ID of the run that it belongs to; empty if a person added it. Set by the server."
    )
    title: Annotated[str, Field(min_length=1, max_length=500), _r.NAME] = Field(
        description="Its title: what is to be done."
    )
    description: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="Its description; may be empty."
    )
    order_index: _t.Int32 = Field(default=0, description="Position in the plan, starting at 1; set by the server.")
    status: TodoStatus = Field(default=TodoStatus.UNSPECIFIED, description="Status.")
    dependencies: Annotated[list[_t.Int64], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list, description="IDs of the todos that must be completed before it can start."
    )
    priority: _t.Int32 = Field(default=0, description="Priority: higher comes first.")
    estimated_steps: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Estimated number of steps; 0 for no estimate."
    )
    actual_steps: _t.Int32 = Field(default=0, description="Number of steps so far; set by the server.")
    estimated_tokens: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Estimated number of tokens; 0 for no estimate."
    )
    actual_tokens: _t.Int32 = Field(default=0, description="Number of tokens so far; set by the server.")
    result: Annotated[str, Field(max_length=100000)] = Field(default="", description="Its result; empty until it ends.")
    error: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="The error message; empty if it did not fail."
    )
    started_at: _t.Timestamp | None = Field(
        default=None, description="Start time; empty before the start. Set by the server."
    )
    completed_at: _t.Timestamp | None = Field(
        default=None, description="End time; empty before the end. Set by the server."
    )
    duration_seconds: _t.Int32 = Field(
        default=0, description="Seconds from start to end; 0 before the end. Set by the server."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )

    @classmethod
    def read_pb(cls, message: pb.Todo) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "run_id": message.run_id,
            "title": message.title,
            "description": message.description,
            "order_index": message.order_index,
            "status": TodoStatus.numbers.get(message.status, message.status),
            "dependencies": list(message.dependencies),
            "priority": message.priority,
            "estimated_steps": message.estimated_steps,
            "actual_steps": message.actual_steps,
            "estimated_tokens": message.estimated_tokens,
            "actual_tokens": message.actual_tokens,
            "result": message.result,
            "error": message.error,
            "duration_seconds": message.duration_seconds,
        }
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Todo:
        """Makes a protobuf message."""
        return pb.Todo(
            id=self.id,
            chat_session_id=self.chat_session_id,
            run_id=self.run_id,
            title=self.title,
            description=self.description,
            order_index=self.order_index,
            status=self.status.number,
            dependencies=self.dependencies,
            priority=self.priority,
            estimated_steps=self.estimated_steps,
            actual_steps=self.actual_steps,
            estimated_tokens=self.estimated_tokens,
            actual_tokens=self.actual_tokens,
            result=self.result,
            error=self.error,
            started_at=self.started_at,
            completed_at=self.completed_at,
            duration_seconds=self.duration_seconds,
            creation_date=self.creation_date,
            last_update=self.last_update,
        )


class TodoPatch(PatchModel, Todo):
    """New values of Todo: what is not given stays as it is, null resets to the default."""

    title: Annotated[str, Field(min_length=1, max_length=500), _r.NAME] = Field(
        default="", description="Its title: what is to be done."
    )
