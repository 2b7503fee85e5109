"""

Generated from echomind/public/v1/dead_letter.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import dead_letter_pb2 as pb


class DeadLetter(ProtoModel):
    """A background job that has used up its attempts, or failed for a reason that another attempt does not change."""

    __proto__: ClassVar = pb.DeadLetter

    id: _t.Int64 = Field(default=0, description="Identifier of the job.")
    kind: str = Field(
        default="",
        description="What the job does, for example `connector.sync`, `title_session` or `memories.extract`.",
    )
    subject_id: str = Field(
        default="",
        description="ID of what it is about, by its kind: a connector, a conversation, a run or a request; may be empty.",
    )
    reason: str = Field(default="", description="Why its last attempt failed.")
    attempts: _t.Int32 = Field(default=0, description="Number of attempts that were made since it was requested.")
    requested_at: _t.Timestamp | None = Field(default=None, description="When it was last requested.")
    failed_at: _t.Timestamp | None = Field(default=None, description="When it failed for good.")

    @classmethod
    def read_pb(cls, message: pb.DeadLetter) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "kind": message.kind,
            "subject_id": message.subject_id,
            "reason": message.reason,
            "attempts": message.attempts,
        }
        if message.HasField("requested_at"):
            data["requested_at"] = message.requested_at.ToDatetime(UTC)
        if message.HasField("failed_at"):
            data["failed_at"] = message.failed_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.DeadLetter:
        """Makes a protobuf message."""
        return pb.DeadLetter(
            id=self.id,
            kind=self.kind,
            subject_id=self.subject_id,
            reason=self.reason,
            attempts=self.attempts,
            requested_at=self.requested_at,
            failed_at=self.failed_at,
        )
