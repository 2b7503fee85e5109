"""

Generated from echomind/public/v1/retention_rule.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import retention_rule_pb2 as pb


class RetentionData(ProtoEnum):
    """What is deleted because of its age."""

    UNSPECIFIED = "RETENTION_DATA_UNSPECIFIED", 0
    """Unspecified; not accepted."""
    CHAT_SESSIONS = "RETENTION_DATA_CHAT_SESSIONS", 1
    """Conversations, by their last message, with all that belongs to them. Also those that are archived or pinned."""
    REMOVED_CHAT_SESSIONS = "RETENTION_DATA_REMOVED_CHAT_SESSIONS", 2
    """Conversations that their owners have removed, by the time of the removal."""
    UNLISTED_CHAT_SESSIONS = "RETENTION_DATA_UNLISTED_CHAT_SESSIONS", 3
    """Conversations that programs have not asked to store, by their last message."""
    RUN_STEPS = "RETENTION_DATA_RUN_STEPS", 4
    """Steps and tool calls of ended runs, by the end of the run: prompts, reasoning, parameters and results. The run, its
    figures, its answer and its citations stay.
    """
    RUN_EVENTS = "RETENTION_DATA_RUN_EVENTS", 5
    """Events of ended runs, by the end of the run, except the last one of each run."""
    AUDIT_ENTRIES = "RETENTION_DATA_AUDIT_ENTRIES", 6
    """Entries of the audit log that are sealed, by their time."""
    WEBHOOK_DELIVERIES = "RETENTION_DATA_WEBHOOK_DELIVERIES", 7
    """Deliveries to webhooks, by their time."""


class RetentionRule(ProtoModel):
    """How long data of one kind is kept. A job in the background deletes what is older."""

    __proto__: ClassVar = pb.RetentionRule
    __enums__: ClassVar = {
        "data": RetentionData,
    }

    data: RetentionData = Field(default=RetentionData.UNSPECIFIED, description="The data.")
    days: _t.Int32 = Field(default=0, description="Days for which it is kept, 1 to 36,500; 0 means for ever.")
    default_days: _t.Int32 = Field(
        default=0,
        description="Days for which it is kept unless a superadmin has set others; 0 means for ever. Settings of the gateway change it.",
    )
    is_set: bool = Field(default=False, description="Whether a superadmin has set the days.")
    set_at: _t.Timestamp | None = Field(
        default=None, description="When the days were set; empty if they are the default."
    )
    set_by_name: str = Field(
        default="",
        description="User name of the superadmin who has set the days; empty if they are the default or the account was deleted.",
    )

    @classmethod
    def read_pb(cls, message: pb.RetentionRule) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "data": RetentionData.numbers.get(message.data, message.data),
            "days": message.days,
            "default_days": message.default_days,
            "is_set": message.is_set,
            "set_by_name": message.set_by_name,
        }
        if message.HasField("set_at"):
            data["set_at"] = message.set_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.RetentionRule:
        """Makes a protobuf message."""
        return pb.RetentionRule(
            data=self.data.number,
            days=self.days,
            default_days=self.default_days,
            is_set=self.is_set,
            set_at=self.set_at,
            set_by_name=self.set_by_name,
        )
