"""

Generated from echomind/public/v1/api_key.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
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
        )
