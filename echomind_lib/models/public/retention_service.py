"""

Generated from echomind/public/v1/retention_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.retention_rule import RetentionData, RetentionRule
from echomind_lib.pb.echomind.public.v1 import retention_service_pb2 as pb


class ListRetentionRulesResponse(ProtoModel):
    """Response of ListRetentionRules."""

    __proto__: ClassVar = pb.ListRetentionRulesResponse

    rules: list[RetentionRule] = Field(
        default_factory=list, description="The rules, in the order of the kinds of data."
    )

    @classmethod
    def read_pb(cls, message: pb.ListRetentionRulesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "rules": [RetentionRule.read_pb(each) for each in message.rules],
        }
        return data

    def to_pb(self) -> pb.ListRetentionRulesResponse:
        """Makes a protobuf message."""
        return pb.ListRetentionRulesResponse(
            rules=[each.to_pb() for each in self.rules],
        )


class PreviewRetentionRuleRequest(ProtoModel):
    """Request of PreviewRetentionRule."""

    __proto__: ClassVar = pb.PreviewRetentionRuleRequest
    __enums__: ClassVar = {
        "data": RetentionData,
    }

    data: Annotated[RetentionData, _r.none_of(RetentionData.UNSPECIFIED)] = Field(description="The data.")
    days: Annotated[_t.Int32, Field(le=36500, ge=0)] = Field(
        default=0, description="Days for which it would be kept; 0 means for ever."
    )

    @classmethod
    def read_pb(cls, message: pb.PreviewRetentionRuleRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "data": RetentionData.numbers.get(message.data, message.data),
            "days": message.days,
        }
        return data

    def to_pb(self) -> pb.PreviewRetentionRuleRequest:
        """Makes a protobuf message."""
        return pb.PreviewRetentionRuleRequest(
            data=self.data.number,
            days=self.days,
        )


class PreviewRetentionRuleResponse(ProtoModel):
    """Response of PreviewRetentionRule."""

    __proto__: ClassVar = pb.PreviewRetentionRuleResponse

    count: _t.Int32 = Field(
        default=0,
        description="How many conversations, steps, events, entries or deliveries would be deleted; at most 100,000.",
    )
    has_more: bool = Field(default=False, description="Whether there are more than were counted.")
    oldest_at: _t.Timestamp | None = Field(
        default=None, description="Time of the oldest of them; empty if there is none."
    )

    @classmethod
    def read_pb(cls, message: pb.PreviewRetentionRuleResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "count": message.count,
            "has_more": message.has_more,
        }
        if message.HasField("oldest_at"):
            data["oldest_at"] = message.oldest_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.PreviewRetentionRuleResponse:
        """Makes a protobuf message."""
        return pb.PreviewRetentionRuleResponse(
            count=self.count,
            has_more=self.has_more,
            oldest_at=self.oldest_at,
        )


class SetRetentionRuleRequest(ProtoModel):
    """Request of SetRetentionRule."""

    __proto__: ClassVar = pb.SetRetentionRuleRequest
    __enums__: ClassVar = {
        "data": RetentionData,
    }

    data: Annotated[RetentionData, _r.none_of(RetentionData.UNSPECIFIED)] = Field(description="The data.")
    days: Annotated[_t.Int32, Field(le=36500, ge=0)] | None = Field(
        default=None, description="Days for which it is kept; 0 means for ever. Without it, the default applies again."
    )

    @classmethod
    def read_pb(cls, message: pb.SetRetentionRuleRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "data": RetentionData.numbers.get(message.data, message.data),
        }
        if message.HasField("days"):
            data["days"] = message.days
        return data

    def to_pb(self) -> pb.SetRetentionRuleRequest:
        """Makes a protobuf message."""
        return pb.SetRetentionRuleRequest(
            data=self.data.number,
            days=self.days,
        )


class RetentionService(ABC):
    """Rules for what is deleted because of its age. Needs `superadmin`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["RetentionService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListRetentionRules", "list_retention_rules", Empty, ListRetentionRulesResponse),
        Method(
            "PreviewRetentionRule", "preview_retention_rule", PreviewRetentionRuleRequest, PreviewRetentionRuleResponse
        ),
        Method("SetRetentionRule", "set_retention_rule", SetRetentionRuleRequest, RetentionRule),
    )

    @abstractmethod
    async def list_retention_rules(self, request: Empty, call: CallContext) -> ListRetentionRulesResponse:
        """Lists the rules, one for each kind of data. Needs `superadmin`."""

    @abstractmethod
    async def preview_retention_rule(
        self, request: PreviewRetentionRuleRequest, call: CallContext
    ) -> PreviewRetentionRuleResponse:
        """Counts what would be deleted now if data was kept for so many days. Needs `superadmin`."""

    @abstractmethod
    async def set_retention_rule(self, request: SetRetentionRuleRequest, call: CallContext) -> RetentionRule:
        """Sets how long data is kept. What is older is deleted permanently within an hour. Needs `superadmin`; audited."""
