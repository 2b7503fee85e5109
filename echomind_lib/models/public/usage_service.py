"""

Generated from echomind/public/v1/usage_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.usage import Usage, UsageGrouping, UsageKind
from echomind_lib.pb.echomind.public.v1 import usage_service_pb2 as pb


class GetUsageRequest(ProtoModel):
    """Request of GetUsage."""

    __proto__: ClassVar = pb.GetUsageRequest
    __enums__: ClassVar = {
        "group_by": UsageGrouping,
        "kind": UsageKind,
    }

    from_time: _t.Timestamp | None = Field(
        default=None, description="Start of the period, inclusive; empty means 30 days before `to_time`."
    )
    to_time: _t.Timestamp | None = Field(
        default=None, description="End of the period, exclusive; empty means now. At most 366 days after `from_time`."
    )
    group_by: UsageGrouping = Field(default=UsageGrouping.UNSPECIFIED, description="Grouping.")
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of the user; 0 means all users for `admin`, and the caller for others. Another user's usage needs `admin`.",
    )
    time_zone: Annotated[str, Field(max_length=64)] = Field(
        default="", description="Time zone of the days, such as `Europe/Berlin`; empty means UTC."
    )
    kind: UsageKind = Field(
        default=UsageKind.UNSPECIFIED, description="Only calls of this kind; unspecified means all."
    )

    @classmethod
    def read_pb(cls, message: pb.GetUsageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "group_by": UsageGrouping.numbers.get(message.group_by, message.group_by),
            "user_id": message.user_id,
            "time_zone": message.time_zone,
            "kind": UsageKind.numbers.get(message.kind, message.kind),
        }
        if message.HasField("from_time"):
            data["from_time"] = message.from_time.ToDatetime(UTC)
        if message.HasField("to_time"):
            data["to_time"] = message.to_time.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.GetUsageRequest:
        """Makes a protobuf message."""
        return pb.GetUsageRequest(
            from_time=self.from_time,
            to_time=self.to_time,
            group_by=self.group_by.number,
            user_id=self.user_id,
            time_zone=self.time_zone,
            kind=self.kind.number,
        )


class GetUsageResponse(ProtoModel):
    """Response of GetUsage."""

    __proto__: ClassVar = pb.GetUsageResponse

    usage: list[Usage] = Field(
        default_factory=list,
        description="All days of the period, also those without usage; or the groups, most expensive first, then by tokens, at most 1000; or, by day and model, those with usage, by day and then by model, at most 10000.",
    )
    total: Usage | None = Field(default=None, description="The total, without day and ID.")
    from_time: _t.Timestamp | None = Field(default=None, description="Start of the period.")
    to_time: _t.Timestamp | None = Field(default=None, description="End of the period.")

    @classmethod
    def read_pb(cls, message: pb.GetUsageResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "usage": [Usage.read_pb(each) for each in message.usage],
        }
        if message.HasField("total"):
            data["total"] = Usage.read_pb(message.total)
        if message.HasField("from_time"):
            data["from_time"] = message.from_time.ToDatetime(UTC)
        if message.HasField("to_time"):
            data["to_time"] = message.to_time.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.GetUsageResponse:
        """Makes a protobuf message."""
        return pb.GetUsageResponse(
            usage=[each.to_pb() for each in self.usage],
            total=None if self.total is None else self.total.to_pb(),
            from_time=self.from_time,
            to_time=self.to_time,
        )


class UsageService(ABC):
    """Usage: tokens, cost, users. Computed from stored runs, and from what is kept by day of deleted runs and of calls outside
    of runs. What is kept by day is of days in UTC, and counts in whole for each day that the period touches in the caller's
    time zone.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["UsageService"]
    __methods__: ClassVar[tuple[Method, ...]] = (Method("GetUsage", "get_usage", GetUsageRequest, GetUsageResponse),)

    @abstractmethod
    async def get_usage(self, request: GetUsageRequest, call: CallContext) -> GetUsageResponse:
        """Returns the usage in a period. Users read their own, `admin` that of everyone."""
