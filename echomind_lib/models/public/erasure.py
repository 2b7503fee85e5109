"""

Generated from echomind/public/v1/erasure.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import erasure_pb2 as pb


class ErasureRule(ProtoEnum):
    """What becomes of data of a person who is erased."""

    UNSPECIFIED = "ERASURE_RULE_UNSPECIFIED", 0
    """Unspecified; never sent."""
    DELETE = "ERASURE_RULE_DELETE", 1
    """It is deleted."""
    HAND_OVER = "ERASURE_RULE_HAND_OVER", 2
    """It continues to belong to somebody else."""
    ANONYMIZE = "ERASURE_RULE_ANONYMIZE", 3
    """It stays, and no longer says whose it was."""
    KEEP = "ERASURE_RULE_KEEP", 4
    """It stays as it is."""


class ErasureState(ProtoEnum):
    """How far an erasure is."""

    UNSPECIFIED = "ERASURE_STATE_UNSPECIFIED", 0
    """Unspecified: it is a preview."""
    RUNNING = "ERASURE_STATE_RUNNING", 1
    """It is running."""
    WAITING = "ERASURE_STATE_WAITING", 2
    """It was interrupted, or something is in its way; it is tried again every minute, by any process of the API."""
    COMPLETED = "ERASURE_STATE_COMPLETED", 3
    """It is completed."""
    CANCELLED = "ERASURE_STATE_CANCELLED", 4
    """Nobody continues it: the account was activated again, or it was interrupted in a version that did not continue
    erasures. EraseUser continues it.
    """


class ErasureItem(ProtoModel):
    """What became of a person's data in one store."""

    __proto__: ClassVar = pb.ErasureItem
    __enums__: ClassVar = {
        "rule": ErasureRule,
    }

    store: str = Field(default="", description="The store: a table, or `files`, `vectors`.")
    rule: ErasureRule = Field(default=ErasureRule.UNSPECIFIED, description="What became of it.")
    count: _t.Int64 = Field(default=0, description="How many rows, files or vectors it were.")
    reason: str = Field(default="", description="Why, and who has it now.")

    @classmethod
    def read_pb(cls, message: pb.ErasureItem) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "store": message.store,
            "rule": ErasureRule.numbers.get(message.rule, message.rule),
            "count": message.count,
            "reason": message.reason,
        }
        return data

    def to_pb(self) -> pb.ErasureItem:
        """Makes a protobuf message."""
        return pb.ErasureItem(
            store=self.store,
            rule=self.rule.number,
            count=self.count,
            reason=self.reason,
        )


class Erasure(ProtoModel):
    """The report of an erased person. It names nobody."""

    __proto__: ClassVar = pb.Erasure
    __enums__: ClassVar = {
        "state": ErasureState,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; 0 for a preview.")
    user_id: _t.Int32 = Field(default=0, description="ID that the account had.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When the erasure began; empty for a preview.")
    erased_by_name: str = Field(
        default="", description="User name of the superadmin who erased the person; empty if that account was deleted."
    )
    items: list[ErasureItem] = Field(
        default_factory=list, description="What became of their data, by store; stores without any are omitted."
    )
    completed_at: _t.Timestamp | None = Field(
        default=None,
        description="When the account was deleted with all that is not deleted in the background; empty for a preview, and until then.",
    )
    state: ErasureState = Field(
        default=ErasureState.UNSPECIFIED, description="How far it is; unspecified for a preview."
    )
    sessions_left: _t.Int32 = Field(
        default=0,
        description="Conversations of the person that are not deleted yet; 0 for a preview, and if it is cancelled. They are deleted before the account.",
    )
    status_message: str = Field(
        default="", description="Why the last attempt ended without completing it; empty if none has."
    )

    @classmethod
    def read_pb(cls, message: pb.Erasure) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "erased_by_name": message.erased_by_name,
            "items": [ErasureItem.read_pb(each) for each in message.items],
            "state": ErasureState.numbers.get(message.state, message.state),
            "sessions_left": message.sessions_left,
            "status_message": message.status_message,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Erasure:
        """Makes a protobuf message."""
        return pb.Erasure(
            id=self.id,
            user_id=self.user_id,
            creation_date=self.creation_date,
            erased_by_name=self.erased_by_name,
            items=[each.to_pb() for each in self.items],
            completed_at=self.completed_at,
            state=self.state.number,
            sessions_left=self.sessions_left,
            status_message=self.status_message,
        )
