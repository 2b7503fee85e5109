"""

Generated from echomind/public/v1/scim_client.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import scim_client_pb2 as pb


class ScimToken(ProtoModel):
    """A token that a SCIM client sends as `Authorization: Bearer`. It opens `/scim` and nothing else."""

    __proto__: ClassVar = pb.ScimToken

    id: _t.Int32 = Field(default=0, description="Identifier.")
    prefix: str = Field(default="", description="The first characters of the secret, to recognize it.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires.")
    last_used_at: _t.Timestamp | None = Field(
        default=None, description="When it was last used, to the minute; empty if never."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time.")

    @classmethod
    def read_pb(cls, message: pb.ScimToken) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "prefix": message.prefix,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("last_used_at"):
            data["last_used_at"] = message.last_used_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ScimToken:
        """Makes a protobuf message."""
        return pb.ScimToken(
            id=self.id,
            prefix=self.prefix,
            expires_at=self.expires_at,
            last_used_at=self.last_used_at,
            creation_date=self.creation_date,
        )


class ScimClient(ProtoModel):
    """An identity system that maintains accounts and groups by SCIM 2.0 at `/scim/v2`. It sees and changes only those that
    it has made or was given, and gives no roles.
    """

    __proto__: ClassVar = pb.ScimClient

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(max_length=40, pattern="^[a-z][a-z0-9_-]*$"), _r.NAME] = Field(
        description="Unique name: small letters, digits, `_` and `-`. It never changes: memberships have the source `scim:NAME`."
    )
    provider: Annotated[str, Field(max_length=40)] = Field(
        default="",
        description="Name of the provider where the same people sign in; empty if they sign in otherwise. A first sign-in there opens the account whose `externalId` the provider's `scim_claim` is; never one with the same e-mail address.",
    )
    tokens: list[ScimToken] = Field(
        default_factory=list, description="Tokens that work, without their secrets, newest first; set by the server."
    )
    user_count: _t.Int32 = Field(default=0, description="Number of accounts that it maintains; set by the server.")
    group_count: _t.Int32 = Field(default=0, description="Number of groups that it maintains; set by the server.")
    last_used_at: _t.Timestamp | None = Field(
        default=None, description="When a token was last used, to the minute; empty if never. Set by the server."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
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

    @classmethod
    def read_pb(cls, message: pb.ScimClient) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "provider": message.provider,
            "tokens": [ScimToken.read_pb(each) for each in message.tokens],
            "user_count": message.user_count,
            "group_count": message.group_count,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
        }
        if message.HasField("last_used_at"):
            data["last_used_at"] = message.last_used_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ScimClient:
        """Makes a protobuf message."""
        return pb.ScimClient(
            id=self.id,
            name=self.name,
            provider=self.provider,
            tokens=[each.to_pb() for each in self.tokens],
            user_count=self.user_count,
            group_count=self.group_count,
            last_used_at=self.last_used_at,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )
