"""

Generated from echomind/public/v1/user.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import AccountKind, Role
from echomind_lib.models.public.preferences import Preferences
from echomind_lib.pb.echomind.public.v1 import user_pb2 as pb


class AccessKind(ProtoEnum):
    """What a person has access to."""

    UNSPECIFIED = "ACCESS_KIND_UNSPECIFIED", 0
    """Unspecified."""
    CONNECTOR = "ACCESS_KIND_CONNECTOR", 1
    """Connectors."""
    DOCUMENT = "ACCESS_KIND_DOCUMENT", 2
    """Documents."""
    ASSISTANT = "ACCESS_KIND_ASSISTANT", 3
    """Assistants."""
    NOTEBOOK = "ACCESS_KIND_NOTEBOOK", 4
    """Notebooks."""
    KNOWLEDGE = "ACCESS_KIND_KNOWLEDGE", 5
    """Knowledge."""


class GroupMembership(ProtoModel):
    """A membership of a group by one source, which alone changes it."""

    __proto__: ClassVar = pb.GroupMembership

    group: str = Field(default="", description="Name of the group.")
    source: str = Field(
        default="", description="`manual`, `provider:` and a provider's issuer, or `scim:` and a client."
    )

    @classmethod
    def read_pb(cls, message: pb.GroupMembership) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "group": message.group,
            "source": message.source,
        }
        return data

    def to_pb(self) -> pb.GroupMembership:
        """Makes a protobuf message."""
        return pb.GroupMembership(
            group=self.group,
            source=self.source,
        )


class User(ProtoModel):
    """A user: a person or a program with an account."""

    __proto__: ClassVar = pb.User
    __enums__: ClassVar = {
        "roles": Role,
        "kind": AccountKind,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    user_name: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/@][^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/]*$",
        ),
        _r.NAME,
    ] = Field(
        description="Unique name, case-insensitive: at least one character, no white space, no slash, no `@` at the beginning."
    )
    email: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@]+@[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@]+$",
        ),
        _r.NAME,
        _r.UNLESS_ZERO,
    ] = Field(
        default="",
        description="Unique e-mail address, case-insensitive: no white space, one `@` between other characters. Empty for an account without one.",
    )
    first_name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="", description="Given name; may be empty."
    )
    last_name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="", description="Family name; may be empty."
    )
    roles: list[Annotated[Role, _r.none_of(Role.UNSPECIFIED)]] = Field(
        default_factory=list, description="Roles of the account; every account has at least `user`."
    )
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255), _r.NAME]], Field(max_length=1000), _r.UNIQUE
    ] = Field(default_factory=list, description="Names of the user's groups.")
    is_active: bool = Field(
        default=False,
        description="If false, the account cannot sign in; its keys, web sessions and sign-in links stop working within a minute, permanently: when it is activated again, it needs new ones.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    last_login: _t.Timestamp | None = Field(default=None, description="Time of the last sign-in; empty if never.")
    preferences: Preferences | None = Field(default=None, description="Preferences.")
    is_email_verified: bool = Field(
        default=False,
        description="Whether the e-mail address is verified: only then sources map their people to the account by it. Set by SetEmailVerified; a changed address is not verified.",
    )
    external_id: str = Field(
        default="",
        description="`PROVIDER:SUBJECT` of the first identity at a provider; empty for an account without one. Set by the server.",
    )
    memberships: list[GroupMembership] = Field(
        default_factory=list,
        description="The memberships behind `groups` with their sources, of one account; empty in lists. Set by the server.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but administrators. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    kind: AccountKind = Field(
        default=AccountKind.UNSPECIFIED,
        description="Whether it is a person's or a program's. ServiceAccountService changes those of programs. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.User) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_name": message.user_name,
            "email": message.email,
            "first_name": message.first_name,
            "last_name": message.last_name,
            "roles": [Role.numbers.get(each, each) for each in message.roles],
            "groups": list(message.groups),
            "is_active": message.is_active,
            "is_email_verified": message.is_email_verified,
            "external_id": message.external_id,
            "memberships": [GroupMembership.read_pb(each) for each in message.memberships],
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "kind": AccountKind.numbers.get(message.kind, message.kind),
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("last_login"):
            data["last_login"] = message.last_login.ToDatetime(UTC)
        if message.HasField("preferences"):
            data["preferences"] = Preferences.read_pb(message.preferences)
        return data

    def to_pb(self) -> pb.User:
        """Makes a protobuf message."""
        return pb.User(
            id=self.id,
            user_name=self.user_name,
            email=self.email,
            first_name=self.first_name,
            last_name=self.last_name,
            roles=[each.number for each in self.roles],
            groups=self.groups,
            is_active=self.is_active,
            creation_date=self.creation_date,
            last_update=self.last_update,
            last_login=self.last_login,
            preferences=None if self.preferences is None else self.preferences.to_pb(),
            is_email_verified=self.is_email_verified,
            external_id=self.external_id,
            memberships=[each.to_pb() for each in self.memberships],
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            kind=self.kind.number,
        )


class UserPatch(PatchModel, User):
    """New values of User: what is not given stays as it is, null resets to the default."""

    user_name: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/@][^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000/]*$",
        ),
        _r.NAME,
    ] = Field(
        default="",
        description="Unique name, case-insensitive: at least one character, no white space, no slash, no `@` at the beginning.",
    )


class AccessItem(ProtoModel):
    """Something that a person sees."""

    __proto__: ClassVar = pb.AccessItem
    __enums__: ClassVar = {
        "kind": AccessKind,
    }

    kind: AccessKind = Field(default=AccessKind.UNSPECIFIED, description="What it is.")
    id: _t.Int64 = Field(default=0, description="Its identifier.")
    name: str = Field(default="", description="Its name or title.")
    reason: str = Field(
        default="",
        description="Why they see it: a connector's or document's scope (`user`, `group NAME`, `org`), a notebook's role, a level of knowledge, the groups of an assistant; empty if everybody does.",
    )

    @classmethod
    def read_pb(cls, message: pb.AccessItem) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": AccessKind.numbers.get(message.kind, message.kind),
            "id": message.id,
            "name": message.name,
            "reason": message.reason,
        }
        return data

    def to_pb(self) -> pb.AccessItem:
        """Makes a protobuf message."""
        return pb.AccessItem(
            kind=self.kind.number,
            id=self.id,
            name=self.name,
            reason=self.reason,
        )
