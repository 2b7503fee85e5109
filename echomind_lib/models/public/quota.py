"""

Generated from echomind/public/v1/quota.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import quota_pb2 as pb


class QuotaScope(ProtoEnum):
    """Whom a quota binds."""

    UNSPECIFIED = "QUOTA_SCOPE_UNSPECIFIED", 0
    """Unspecified; not accepted."""
    ORGANIZATION = "QUOTA_SCOPE_ORGANIZATION", 1
    """Everybody together."""
    GROUP = "QUOTA_SCOPE_GROUP", 2
    """The members of a group together."""
    MEMBER = "QUOTA_SCOPE_MEMBER", 3
    """Each member of a group, or without a group each person. A group's replaces that of each person; of several groups'
    the largest counts.
    """
    USER = "QUOTA_SCOPE_USER", 4
    """One person; replaces those of scope `member`."""
    KEY = "QUOTA_SCOPE_KEY", 5
    """One API key with the keys that were created with it. In QuotaUsage alone: SetApiKeyQuotas sets them."""


class QuotaPeriod(ProtoEnum):
    """After which time the use begins again at 0, or what is done at a time."""

    UNSPECIFIED = "QUOTA_PERIOD_UNSPECIFIED", 0
    """Unspecified; not accepted."""
    DAY = "QUOTA_PERIOD_DAY", 1
    """A day, in UTC."""
    MONTH = "QUOTA_PERIOD_MONTH", 2
    """A calendar month, in UTC."""
    MINUTE = "QUOTA_PERIOD_MINUTE", 3
    """At a time: the requests of a minute, and the unfinished questions and open streams of the moment."""


class Quota(ProtoModel):
    """A limit of what people may use in a day or a month, or of what they may do at a time. All quotas that apply to a person hold at once. Each question
    counts, and the tokens and the cost of its model calls. Those for titles and summaries of a conversation, and for what
    is learned from it, count for its owner. Use is counted from the first quota on.
    """

    __proto__: ClassVar = pb.Quota
    __enums__: ClassVar = {
        "scope": QuotaScope,
        "period": QuotaPeriod,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    scope: Annotated[QuotaScope, _r.none_of(QuotaScope.UNSPECIFIED)] = Field(description="Whom it binds. Immutable.")
    group_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the group, for the scopes `group` and `member`; 0 otherwise. Immutable."
    )
    group_name: str = Field(default="", description="Name of the group; set by the server.")
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the person, for the scope `user`; 0 otherwise. Immutable."
    )
    user_name: str = Field(default="", description="User name of the person; set by the server.")
    period: Annotated[QuotaPeriod, _r.none_of(QuotaPeriod.UNSPECIFIED)] = Field(
        description="Day, month, or `minute` for the last three maxima, which it needs. Immutable."
    )
    max_questions: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Maximum number of questions; 0 means no limit."
    )
    max_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Maximum number of tokens of prompts and answers; 0 means no limit."
    )
    max_cost: Annotated[_t.Float, Field(le=1000000000.0, ge=0.0)] = Field(
        default=0.0, description="Maximum cost in US dollars, of models with a known price; 0 means no limit."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    updated_by: _t.Int32 = Field(
        default=0, description="ID of the person who made the last change; 0 if nobody did. Set by the server."
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    max_requests_per_minute: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Maximum number of requests of any kind in a minute; 0 means no limit. All replicas count together, in batches of up to a fiftieth of it.",
    )
    max_concurrent_runs: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Maximum number of unfinished questions at a time; 0 means no limit. Further ones are refused.",
    )
    max_concurrent_streams: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Maximum number of open streams at a time; 0 means no limit. Further ones are refused."
    )

    @classmethod
    def read_pb(cls, message: pb.Quota) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "scope": QuotaScope.numbers.get(message.scope, message.scope),
            "group_id": message.group_id,
            "group_name": message.group_name,
            "user_id": message.user_id,
            "user_name": message.user_name,
            "period": QuotaPeriod.numbers.get(message.period, message.period),
            "max_questions": message.max_questions,
            "max_tokens": message.max_tokens,
            "max_cost": message.max_cost,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "max_requests_per_minute": message.max_requests_per_minute,
            "max_concurrent_runs": message.max_concurrent_runs,
            "max_concurrent_streams": message.max_concurrent_streams,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Quota:
        """Makes a protobuf message."""
        return pb.Quota(
            id=self.id,
            scope=self.scope.number,
            group_id=self.group_id,
            group_name=self.group_name,
            user_id=self.user_id,
            user_name=self.user_name,
            period=self.period.number,
            max_questions=self.max_questions,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            max_requests_per_minute=self.max_requests_per_minute,
            max_concurrent_runs=self.max_concurrent_runs,
            max_concurrent_streams=self.max_concurrent_streams,
        )


class QuotaPatch(PatchModel, Quota):
    """New values of Quota: what is not given stays as it is, null resets to the default."""

    scope: Annotated[QuotaScope, _r.none_of(QuotaScope.UNSPECIFIED)] = Field(
        default=QuotaScope.UNSPECIFIED, description="Whom it binds. Immutable."
    )
    period: Annotated[QuotaPeriod, _r.none_of(QuotaPeriod.UNSPECIFIED)] = Field(
        default=QuotaPeriod.UNSPECIFIED,
        description="Day, month, or `minute` for the last three maxima, which it needs. Immutable.",
    )


class QuotaUsage(ProtoModel):
    """What is used of the limits that bind a person in the current day or month, or at the moment."""

    __proto__: ClassVar = pb.QuotaUsage
    __enums__: ClassVar = {
        "scope": QuotaScope,
        "period": QuotaPeriod,
    }

    scope: QuotaScope = Field(
        default=QuotaScope.UNSPECIFIED,
        description="`organization`, `group`, `key`, or `user` for the person's own allowance, whichever quota it comes from.",
    )
    group_id: _t.Int32 = Field(default=0, description="ID of the group; 0 for others.")
    group_name: str = Field(default="", description="Name of the group; empty for others.")
    period: QuotaPeriod = Field(
        default=QuotaPeriod.UNSPECIFIED,
        description="Day or month, or `minute` for requests, unfinished questions and streams.",
    )
    max_questions: _t.Int64 = Field(default=0, description="Maximum number of questions; 0 means no limit.")
    max_tokens: _t.Int64 = Field(default=0, description="Maximum number of tokens; 0 means no limit.")
    max_cost: _t.Float = Field(default=0.0, description="Maximum cost in US dollars; 0 means no limit.")
    questions: _t.Int64 = Field(default=0, description="Questions that were asked.")
    tokens: _t.Int64 = Field(default=0, description="Tokens that were used.")
    cost: _t.Float = Field(default=0.0, description="Cost in US dollars.")
    reserved_tokens: _t.Int64 = Field(default=0, description="Tokens that model calls under way may use at most.")
    reserved_cost: _t.Float = Field(default=0.0, description="Cost of model calls under way at most, in US dollars.")
    renews_at: _t.Timestamp | None = Field(
        default=None,
        description="When the use begins again at 0. Unfinished questions and streams count until they end.",
    )
    api_key_id: _t.Int32 = Field(default=0, description="ID of the API key; 0 for others.")
    api_key_name: str = Field(default="", description="Name of the API key; empty for others.")
    max_requests_per_minute: _t.Int32 = Field(
        default=0, description="Maximum number of requests in a minute; 0 means no limit."
    )
    max_concurrent_runs: _t.Int32 = Field(
        default=0, description="Maximum number of unfinished questions; 0 means no limit."
    )
    max_concurrent_streams: _t.Int32 = Field(default=0, description="Maximum number of open streams; 0 means no limit.")
    requests: _t.Int32 = Field(
        default=0, description="Requests of the current minute, where they are limited. Replicas count them in batches."
    )
    concurrent_runs: _t.Int32 = Field(default=0, description="Unfinished questions, where they are limited.")
    concurrent_streams: _t.Int32 = Field(default=0, description="Open streams, where they are limited.")

    @classmethod
    def read_pb(cls, message: pb.QuotaUsage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "scope": QuotaScope.numbers.get(message.scope, message.scope),
            "group_id": message.group_id,
            "group_name": message.group_name,
            "period": QuotaPeriod.numbers.get(message.period, message.period),
            "max_questions": message.max_questions,
            "max_tokens": message.max_tokens,
            "max_cost": message.max_cost,
            "questions": message.questions,
            "tokens": message.tokens,
            "cost": message.cost,
            "reserved_tokens": message.reserved_tokens,
            "reserved_cost": message.reserved_cost,
            "api_key_id": message.api_key_id,
            "api_key_name": message.api_key_name,
            "max_requests_per_minute": message.max_requests_per_minute,
            "max_concurrent_runs": message.max_concurrent_runs,
            "max_concurrent_streams": message.max_concurrent_streams,
            "requests": message.requests,
            "concurrent_runs": message.concurrent_runs,
            "concurrent_streams": message.concurrent_streams,
        }
        if message.HasField("renews_at"):
            data["renews_at"] = message.renews_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.QuotaUsage:
        """Makes a protobuf message."""
        return pb.QuotaUsage(
            scope=self.scope.number,
            group_id=self.group_id,
            group_name=self.group_name,
            period=self.period.number,
            max_questions=self.max_questions,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            questions=self.questions,
            tokens=self.tokens,
            cost=self.cost,
            reserved_tokens=self.reserved_tokens,
            reserved_cost=self.reserved_cost,
            renews_at=self.renews_at,
            api_key_id=self.api_key_id,
            api_key_name=self.api_key_name,
            max_requests_per_minute=self.max_requests_per_minute,
            max_concurrent_runs=self.max_concurrent_runs,
            max_concurrent_streams=self.max_concurrent_streams,
            requests=self.requests,
            concurrent_runs=self.concurrent_runs,
            concurrent_streams=self.concurrent_streams,
        )
