"""

Generated from echomind/public/v1/group.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import AccountKind
from echomind_lib.pb.echomind.public.v1 import group_pb2 as pb


class Group(ProtoModel):
    """A group of users, who can read the connectors that are shared with it."""

    __proto__: ClassVar = pb.Group

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        description="Unique, stable name. Immutable, as connectors and passages store it."
    )
    description: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="Its description; may be empty."
    )
    member_count: _t.Int32 = Field(default=0, description="Number of its members; set by the server.")
    connector_count: _t.Int32 = Field(default=0, description="Number of connectors shared with it; set by the server.")
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
    display_name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="", description="Name that is shown instead of `name`, and can change; empty shows `name`."
    )
    admin_count: _t.Int32 = Field(
        default=0, description="Number of members who are admins of the group; set by the server."
    )
    can_manage: bool = Field(
        default=False, description="Whether the caller may add and remove members; set by the server."
    )
    assistant_count: _t.Int32 = Field(
        default=0, description="Number of assistants that only some groups see, this one among them; set by the server."
    )
    service_account_count: _t.Int32 = Field(
        default=0, description="Number of service accounts that belong to it; set by the server."
    )

    @classmethod
    def read_pb(cls, message: pb.Group) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "description": message.description,
            "member_count": message.member_count,
            "connector_count": message.connector_count,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "display_name": message.display_name,
            "admin_count": message.admin_count,
            "can_manage": message.can_manage,
            "assistant_count": message.assistant_count,
            "service_account_count": message.service_account_count,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Group:
        """Makes a protobuf message."""
        return pb.Group(
            id=self.id,
            name=self.name,
            description=self.description,
            member_count=self.member_count,
            connector_count=self.connector_count,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            display_name=self.display_name,
            admin_count=self.admin_count,
            can_manage=self.can_manage,
            assistant_count=self.assistant_count,
            service_account_count=self.service_account_count,
        )


class GroupPatch(PatchModel, Group):
    """New values of Group: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Unique, stable name. Immutable, as connectors and passages store it."
    )


class GroupMember(ProtoModel):
    """A member of a group."""

    __proto__: ClassVar = pb.GroupMember
    __enums__: ClassVar = {
        "kind": AccountKind,
    }

    user_id: _t.Int32 = Field(default=0, description="ID of the account.")
    user_name: str = Field(default="", description="Its user name.")
    name: str = Field(default="", description="First and last name; may be empty.")
    is_active: bool = Field(default=False, description="Whether the account is active.")
    is_admin: bool = Field(
        default=False, description="Whether they are an admin of the group: they add and remove its members."
    )
    sources: list[str] = Field(
        default_factory=list,
        description="Sources of the membership: `manual`, `provider:ISSUER` or `scim:CLIENT`. It ends when no source gives it any more.",
    )
    kind: AccountKind = Field(
        default=AccountKind.UNSPECIFIED, description="Whether it is a person's or a program's account."
    )
    belongs_to_group: bool = Field(
        default=False,
        description="Whether it is a service account that belongs to the group, so that it stays a member.",
    )

    @classmethod
    def read_pb(cls, message: pb.GroupMember) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
            "user_name": message.user_name,
            "name": message.name,
            "is_active": message.is_active,
            "is_admin": message.is_admin,
            "sources": list(message.sources),
            "kind": AccountKind.numbers.get(message.kind, message.kind),
            "belongs_to_group": message.belongs_to_group,
        }
        return data

    def to_pb(self) -> pb.GroupMember:
        """Makes a protobuf message."""
        return pb.GroupMember(
            user_id=self.user_id,
            user_name=self.user_name,
            name=self.name,
            is_active=self.is_active,
            is_admin=self.is_admin,
            sources=self.sources,
            kind=self.kind.number,
            belongs_to_group=self.belongs_to_group,
        )
