"""

Generated from echomind/public/v1/source_permission.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import source_permission_pb2 as pb


class SourcePersonMapping(ProtoEnum):
    """How a person of a source is mapped to an account."""

    UNSPECIFIED = "SOURCE_PERSON_MAPPING_UNSPECIFIED", 0
    """Unspecified."""
    EMAIL = "SOURCE_PERSON_MAPPING_EMAIL", 1
    """By their e-mail address, which is verified for the account."""
    ALIAS = "SOURCE_PERSON_MAPPING_ALIAS", 2
    """By an alias that a superadmin has set."""
    NO_ACCOUNT = "SOURCE_PERSON_MAPPING_NO_ACCOUNT", 3
    """Not at all: no account has their e-mail address, or the source does not tell one."""
    UNVERIFIED = "SOURCE_PERSON_MAPPING_UNVERIFIED", 4
    """Not at all: an account has their e-mail address, which is not verified."""
    AMBIGUOUS = "SOURCE_PERSON_MAPPING_AMBIGUOUS", 5
    """Not at all: several people of the source have this e-mail address."""


class SourcePrincipalKind(ProtoEnum):
    """What a principal of a source is."""

    UNSPECIFIED = "SOURCE_PRINCIPAL_KIND_UNSPECIFIED", 0
    """Unspecified."""
    USER = "SOURCE_PRINCIPAL_KIND_USER", 1
    """A person."""
    GROUP = "SOURCE_PRINCIPAL_KIND_GROUP", 2
    """A group."""
    TENANT = "SOURCE_PRINCIPAL_KIND_TENANT", 3
    """Everybody in an organisation at the source, without its guests."""
    ANONYMOUS = "SOURCE_PRINCIPAL_KIND_ANONYMOUS", 4
    """Everybody."""


class SourcePerson(ProtoModel):
    """A person as a source knows them."""

    __proto__: ClassVar = pb.SourcePerson
    __enums__: ClassVar = {
        "mapping": SourcePersonMapping,
    }

    key: str = Field(default="", description="The principal of the person at the source, such as `user:google:1234`.")
    name: str = Field(default="", description="What they are called there; may be empty.")
    email: str = Field(default="", description="Their e-mail address there; may be empty.")
    mapping: SourcePersonMapping = Field(
        default=SourcePersonMapping.UNSPECIFIED, description="Whether and how they are mapped to an account."
    )
    user_id: _t.Int32 = Field(
        default=0,
        description="The account that they are mapped to, or that has their e-mail address unverified; 0 when there is none.",
    )
    user_name: str = Field(default="", description="That account's name; empty when there is none.")

    @classmethod
    def read_pb(cls, message: pb.SourcePerson) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "key": message.key,
            "name": message.name,
            "email": message.email,
            "mapping": SourcePersonMapping.numbers.get(message.mapping, message.mapping),
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        return data

    def to_pb(self) -> pb.SourcePerson:
        """Makes a protobuf message."""
        return pb.SourcePerson(
            key=self.key,
            name=self.name,
            email=self.email,
            mapping=self.mapping.number,
            user_id=self.user_id,
            user_name=self.user_name,
        )


class DocumentReader(ProtoModel):
    """Somebody who may read a document at its source, and so here when the connector is visible to them."""

    __proto__: ClassVar = pb.DocumentReader
    __enums__: ClassVar = {
        "kind": SourcePrincipalKind,
        "mapping": SourcePersonMapping,
    }

    key: str = Field(default="", description="The principal at the source, such as `group:google:1234`.")
    kind: SourcePrincipalKind = Field(default=SourcePrincipalKind.UNSPECIFIED, description="What it is.")
    name: str = Field(default="", description="What it is called there; may be empty.")
    email: str = Field(default="", description="The e-mail address there; may be empty.")
    accounts: _t.Int32 = Field(default=0, description="How many accounts here read the document by this principal.")
    is_outdated: bool = Field(
        default=False,
        description="Of a group or tenant: whether its members have not been read for so long that they are not taken for members.",
    )
    mapping: SourcePersonMapping = Field(
        default=SourcePersonMapping.UNSPECIFIED,
        description="Of a person: whether and how they are mapped to an account; unspecified for others.",
    )
    user_id: _t.Int32 = Field(
        default=0,
        description="Of a person: the account that they are mapped to, or that has their e-mail address unverified, for callers with the role `admin`; 0 when there is none, and for others.",
    )
    user_name: str = Field(default="", description="That account's name; empty when there is none, and for others.")

    @classmethod
    def read_pb(cls, message: pb.DocumentReader) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "key": message.key,
            "kind": SourcePrincipalKind.numbers.get(message.kind, message.kind),
            "name": message.name,
            "email": message.email,
            "accounts": message.accounts,
            "is_outdated": message.is_outdated,
            "mapping": SourcePersonMapping.numbers.get(message.mapping, message.mapping),
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        return data

    def to_pb(self) -> pb.DocumentReader:
        """Makes a protobuf message."""
        return pb.DocumentReader(
            key=self.key,
            kind=self.kind.number,
            name=self.name,
            email=self.email,
            accounts=self.accounts,
            is_outdated=self.is_outdated,
            mapping=self.mapping.number,
            user_id=self.user_id,
            user_name=self.user_name,
        )


class SourceGroup(ProtoModel):
    """A group as a source knows it, or everybody in an organisation there."""

    __proto__: ClassVar = pb.SourceGroup
    __enums__: ClassVar = {
        "kind": SourcePrincipalKind,
    }

    key: str = Field(default="", description="The principal of the group at the source, such as `group:google:1234`.")
    kind: SourcePrincipalKind = Field(
        default=SourcePrincipalKind.UNSPECIFIED, description="Whether it is a group or a tenant."
    )
    name: str = Field(default="", description="What it is called there; may be empty.")
    email: str = Field(default="", description="Its e-mail address there; may be empty.")
    members: _t.Int32 = Field(default=0, description="How many people and groups are its direct members.")
    accounts: _t.Int32 = Field(
        default=0, description="How many accounts are its members, those of groups in it included."
    )
    members_read_at: _t.Timestamp | None = Field(
        default=None, description="When all of its members were read last; empty when they never were."
    )
    is_outdated: bool = Field(
        default=False, description="Whether that is so long ago that they are not taken for members."
    )

    @classmethod
    def read_pb(cls, message: pb.SourceGroup) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "key": message.key,
            "kind": SourcePrincipalKind.numbers.get(message.kind, message.kind),
            "name": message.name,
            "email": message.email,
            "members": message.members,
            "accounts": message.accounts,
            "is_outdated": message.is_outdated,
        }
        if message.HasField("members_read_at"):
            data["members_read_at"] = message.members_read_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SourceGroup:
        """Makes a protobuf message."""
        return pb.SourceGroup(
            key=self.key,
            kind=self.kind.number,
            name=self.name,
            email=self.email,
            members=self.members,
            accounts=self.accounts,
            members_read_at=self.members_read_at,
            is_outdated=self.is_outdated,
        )
