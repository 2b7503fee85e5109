"""

Generated from echomind/public/v1/service_account.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import Role
from echomind_lib.pb.echomind.public.v1 import service_account_pb2 as pb


class ServiceAccount(ProtoModel):
    """An account for a program. It has no password, no e-mail address and no identity at a provider: it works with its API
    keys alone. It belongs to a group, whose admins manage it, and stays when whoever created it leaves.
    """

    __proto__: ClassVar = pb.ServiceAccount
    __enums__: ClassVar = {
        "roles": Role,
    }

    id: _t.Int32 = Field(default=0, description="Identifier, as of an account; set by the server.")
    name: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/@][^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/]*$",
        ),
        _r.NAME,
    ] = Field(
        description="Unique name among all accounts, case-insensitive: at least one character, no white space, no slash, no `@` at the beginning."
    )
    purpose: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="What it is for, and where the program runs; may be empty."
    )
    owner_group_id: Annotated[_t.Int32, _r.SET] = Field(description="ID of the group that it belongs to.")
    owner_group: str = Field(default="", description="Name of this group; set by the server.")
    owner_group_display_name: str = Field(
        default="", description="Display name of this group; empty if it has none. Set by the server."
    )
    roles: Annotated[list[Annotated[Role, _r.none_of(Role.UNSPECIFIED, Role.SUPERADMIN)]], Field(max_length=10)] = (
        Field(
            default_factory=list,
            description="Roles: every account has at least `user`, and only superadmins give `admin`. Never `superadmin`.",
        )
    )
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255), _r.NAME]], Field(max_length=1000), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Names of the groups that it is a member of: it reads what their members read, and counts for their quotas. The group that it belongs to is always one of them.",
    )
    is_active: bool = Field(
        default=False,
        description="If false, its keys stop working within a minute, permanently, and its runs are cancelled: when it is activated again, it needs new keys.",
    )
    last_used_at: _t.Timestamp | None = Field(
        default=None,
        description="When one of its keys was last used, to the minute; empty if never. Set by the server.",
    )
    key_count: _t.Int32 = Field(default=0, description="Number of its working keys; set by the server.")
    can_manage: bool = Field(default=False, description="Whether the caller may change it; set by the server.")
    can_create_keys: bool = Field(
        default=False,
        description="Whether the caller may create and rotate its keys and delete it: they manage it, and could give it all the roles and groups that it has. Set by the server.",
    )
    created_by: _t.Int32 = Field(
        default=0, description="ID of the account that created it; 0 if that was purged. Set by the server."
    )
    created_by_name: str = Field(
        default="",
        description="First and last name of this account, or else its user name; empty if `created_by` is 0. Set by the server.",
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
    def read_pb(cls, message: pb.ServiceAccount) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "purpose": message.purpose,
            "owner_group_id": message.owner_group_id,
            "owner_group": message.owner_group,
            "owner_group_display_name": message.owner_group_display_name,
            "roles": [Role.numbers.get(each, each) for each in message.roles],
            "groups": list(message.groups),
            "is_active": message.is_active,
            "key_count": message.key_count,
            "can_manage": message.can_manage,
            "can_create_keys": message.can_create_keys,
            "created_by": message.created_by,
            "created_by_name": message.created_by_name,
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

    def to_pb(self) -> pb.ServiceAccount:
        """Makes a protobuf message."""
        return pb.ServiceAccount(
            id=self.id,
            name=self.name,
            purpose=self.purpose,
            owner_group_id=self.owner_group_id,
            owner_group=self.owner_group,
            owner_group_display_name=self.owner_group_display_name,
            roles=[each.number for each in self.roles],
            groups=self.groups,
            is_active=self.is_active,
            last_used_at=self.last_used_at,
            key_count=self.key_count,
            can_manage=self.can_manage,
            can_create_keys=self.can_create_keys,
            created_by=self.created_by,
            created_by_name=self.created_by_name,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )


class ServiceAccountPatch(PatchModel, ServiceAccount):
    """New values of ServiceAccount: what is not given stays as it is, null resets to the default."""

    name: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/@][^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/]*$",
        ),
        _r.NAME,
    ] = Field(
        default="",
        description="Unique name among all accounts, case-insensitive: at least one character, no white space, no slash, no `@` at the beginning.",
    )
    owner_group_id: Annotated[_t.Int32, _r.SET] = Field(default=0, description="ID of the group that it belongs to.")
