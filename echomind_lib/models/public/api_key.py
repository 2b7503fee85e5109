"""

Generated from echomind/public/v1/api_key.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.quota import QuotaPeriod
from echomind_lib.pb.echomind.public.v1 import api_key_pb2 as pb


class ApiKeyScope(ProtoEnum):
    """What an API key may do, within the permissions of its owner. Each method declares the scope that it needs; what a
    scope allows, the others do not, except that `administer` includes `read`, `ask`, `ingest` and `manage`.
    """

    UNSPECIFIED = "API_KEY_SCOPE_UNSPECIFIED", 0
    """Unspecified."""
    ADMINISTER = "API_KEY_SCOPE_ADMINISTER", 1
    """Manage accounts and their credentials: sign-in links, passwords, creating and changing accounts, groups and identity
    providers, keys with this scope. Includes the scopes read, ask, ingest and manage. The owner must also have the role
    that each call requires.
    """
    READ = "API_KEY_SCOPE_READ", 2
    """Read and search: conversations, documents, knowledge, settings, lists."""
    ASK = "API_KEY_SCOPE_ASK", 3
    """Ask questions, and work with one's conversations and runs."""
    INGEST = "API_KEY_SCOPE_INGEST", 4
    """Create, change and remove connectors and documents, and upload."""
    MANAGE = "API_KEY_SCOPE_MANAGE", 5
    """Change everything else that the owner may change: notebooks, shares, memories, knowledge, keys; with the role, also
    assistants, models and settings. Remove conversations.
    """


class ApiKeyQuota(ProtoModel):
    """A limit of what may be asked with a key in a day or a month, and what is used of it. The keys that were created with
    the key, directly or through others, count with it. The quotas of its owner hold as well.
    """

    __proto__: ClassVar = pb.ApiKeyQuota
    __enums__: ClassVar = {
        "period": QuotaPeriod,
    }

    period: Annotated[QuotaPeriod, _r.none_of(QuotaPeriod.UNSPECIFIED)] = Field(description="Day or month, in UTC.")
    max_questions: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Maximum number of questions; 0 means no limit."
    )
    max_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Maximum number of tokens of prompts and answers; 0 means no limit."
    )
    max_cost: Annotated[_t.Float, Field(le=1000000000.0, ge=0.0)] = Field(
        default=0.0, description="Maximum cost in US dollars, of models with a known price; 0 means no limit."
    )
    questions: _t.Int64 = Field(
        default=0,
        description="Questions that were asked in the current day or month. Set by the server, like all fields below.",
    )
    tokens: _t.Int64 = Field(default=0, description="Tokens that were used.")
    cost: _t.Float = Field(default=0.0, description="Cost in US dollars.")
    reserved_tokens: _t.Int64 = Field(default=0, description="Tokens that model calls under way may use at most.")
    reserved_cost: _t.Float = Field(default=0.0, description="Cost of model calls under way at most, in US dollars.")
    renews_at: _t.Timestamp | None = Field(default=None, description="When the use begins again at 0.")

    @classmethod
    def read_pb(cls, message: pb.ApiKeyQuota) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "period": QuotaPeriod.numbers.get(message.period, message.period),
            "max_questions": message.max_questions,
            "max_tokens": message.max_tokens,
            "max_cost": message.max_cost,
            "questions": message.questions,
            "tokens": message.tokens,
            "cost": message.cost,
            "reserved_tokens": message.reserved_tokens,
            "reserved_cost": message.reserved_cost,
        }
        if message.HasField("renews_at"):
            data["renews_at"] = message.renews_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ApiKeyQuota:
        """Makes a protobuf message."""
        return pb.ApiKeyQuota(
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
        )


class ApiKey(ProtoModel):
    """A key that a program sends as `Authorization: Bearer`. It has the rights of its owner, as far as its scopes allow.

    A key with limits (`assistant_ids`, `connector_ids`) asks, searches and reads within them, and nothing else. It reads
    and continues only the conversations that began with it. Their runs, with their sub-agents, keep to its limits, also
    when its owner continues or forks them, and use neither memories nor knowledge. All other calls are refused with
    PERMISSION_DENIED (metadata `required`: `key_without_limits`).
    """

    __proto__: ClassVar = pb.ApiKey
    __enums__: ClassVar = {
        "scopes": ApiKeyScope,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: str = Field(default="", description="Name of the key, such as the program that uses it.")
    prefix: str = Field(default="", description="The first characters of the secret, to recognise it.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires; empty if never.")
    last_used_at: _t.Timestamp | None = Field(
        default=None, description="When it was last used, to the minute; empty if never."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time.")
    scopes: list[ApiKeyScope] = Field(default_factory=list, description="Scopes of the key.")
    parent_id: _t.Int32 = Field(
        default=0,
        description="ID of the key that created this one, with which it is revoked; 0 if it was created in a web session.",
    )
    previous_expires_at: _t.Timestamp | None = Field(
        default=None,
        description="When the secret that it had before its last rotation stops working; empty if that has stopped.",
    )
    previous_used_at: _t.Timestamp | None = Field(
        default=None,
        description="When the secret that it had before its last rotation was last used, to the minute; empty if never.",
    )
    assistant_ids: list[_t.Int32] = Field(
        default_factory=list,
        description="IDs of the only assistants that it may use; empty for all of its owner's. Those that are removed stay in the list: a key whose assistants are all removed may use none.",
    )
    connector_ids: list[_t.Int32] = Field(
        default_factory=list,
        description="IDs of the only connectors that it may search, read and upload to; empty for all of its owner's. Those that are removed stay in the list.",
    )
    quotas: list[ApiKeyQuota] = Field(
        default_factory=list,
        description="Limits of what may be asked with it in a day and in a month, with what is used of them; see SetApiKeyQuotas.",
    )
    max_requests_per_minute: _t.Int32 = Field(
        default=0,
        description="Maximum number of requests a minute; 0 means no limit but that of its owner. See SetApiKeyQuotas.",
    )
    max_concurrent_runs: _t.Int32 = Field(
        default=0,
        description="Maximum number of its questions that are being answered or wait for that; 0 means no limit but that of its owner.",
    )
    max_concurrent_streams: _t.Int32 = Field(
        default=0, description="Maximum number of its open streams; 0 means no limit but that of its owner."
    )

    @classmethod
    def read_pb(cls, message: pb.ApiKey) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "prefix": message.prefix,
            "scopes": [ApiKeyScope.numbers.get(each, each) for each in message.scopes],
            "parent_id": message.parent_id,
            "assistant_ids": list(message.assistant_ids),
            "connector_ids": list(message.connector_ids),
            "quotas": [ApiKeyQuota.read_pb(each) for each in message.quotas],
            "max_requests_per_minute": message.max_requests_per_minute,
            "max_concurrent_runs": message.max_concurrent_runs,
            "max_concurrent_streams": message.max_concurrent_streams,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("last_used_at"):
            data["last_used_at"] = message.last_used_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("previous_expires_at"):
            data["previous_expires_at"] = message.previous_expires_at.ToDatetime(UTC)
        if message.HasField("previous_used_at"):
            data["previous_used_at"] = message.previous_used_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ApiKey:
        """Makes a protobuf message."""
        return pb.ApiKey(
            id=self.id,
            name=self.name,
            prefix=self.prefix,
            expires_at=self.expires_at,
            last_used_at=self.last_used_at,
            creation_date=self.creation_date,
            scopes=[each.number for each in self.scopes],
            parent_id=self.parent_id,
            previous_expires_at=self.previous_expires_at,
            previous_used_at=self.previous_used_at,
            assistant_ids=self.assistant_ids,
            connector_ids=self.connector_ids,
            quotas=[each.to_pb() for each in self.quotas],
            max_requests_per_minute=self.max_requests_per_minute,
            max_concurrent_runs=self.max_concurrent_runs,
            max_concurrent_streams=self.max_concurrent_streams,
        )
