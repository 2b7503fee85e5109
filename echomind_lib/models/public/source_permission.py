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
    """By an alias set by a superadmin."""
    NO_ACCOUNT = "SOURCE_PERSON_MAPPING_NO_ACCOUNT", 3
    """Not mapped: no account has their e-mail address, or the source reports none."""
    UNVERIFIED = "SOURCE_PERSON_MAPPING_UNVERIFIED", 4
    """Not mapped: an account has their e-mail address, but it is not verified."""
    AMBIGUOUS = "SOURCE_PERSON_MAPPING_AMBIGUOUS", 5
    """Not mapped: several people of the source have this e-mail address."""
    ACCOUNT_DELETED = "SOURCE_PERSON_MAPPING_ACCOUNT_DELETED", 6
    """Not mapped: the account that an alias names was deleted."""


class SourcePrincipalKind(ProtoEnum):
    """Kind of a principal of a source."""

    UNSPECIFIED = "SOURCE_PRINCIPAL_KIND_UNSPECIFIED", 0
    """Unspecified."""
    USER = "SOURCE_PRINCIPAL_KIND_USER", 1
    """A person."""
    GROUP = "SOURCE_PRINCIPAL_KIND_GROUP", 2
    """A group."""
    TENANT = "SOURCE_PRINCIPAL_KIND_TENANT", 3
    """Everyone in an organization at the source, except guests."""
    ANONYMOUS = "SOURCE_PRINCIPAL_KIND_ANONYMOUS", 4
    """Everyone."""


class SourcePerson(ProtoModel):
    """A person as known to a source."""

    __proto__: ClassVar = pb.SourcePerson
    __enums__: ClassVar = {
        "mapping": SourcePersonMapping,
    }

    key: str = Field(default="", description="The principal of the person at the source, such as `user:google:1234`.")
    name: str = Field(default="", description="Their name at the source; may be empty.")
    email: str = Field(default="", description="Their e-mail address at the source; may be empty.")
    mapping: SourcePersonMapping = Field(
        default=SourcePersonMapping.UNSPECIFIED, description="How they are mapped to an account, if they are."
    )
    user_id: _t.Int32 = Field(
        default=0,
        description="ID of the account that they are mapped to, or that has their unverified e-mail address; 0 if there is none.",
    )
    user_name: str = Field(default="", description="Name of that account; empty if there is none.")

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


class SourceAlias(ProtoModel):
    """Which account a person of sources is, as set by a superadmin."""

    __proto__: ClassVar = pb.SourceAlias

    key: str = Field(default="", description="The principal of the person, such as `user:google:1234`.")
    name: str = Field(default="", description="Name of the person at a source; empty if no source knows them.")
    email: str = Field(default="", description="E-mail address of the person at a source; may be empty.")
    user_id: _t.Int32 = Field(
        default=0,
        description="The account; 0 once it was deleted, which maps the person to no account, whatever their e-mail address is.",
    )
    user_name: str = Field(default="", description="That account's name; empty once it was deleted.")
    connectors: _t.Int32 = Field(
        default=0, description="Number of connectors that know the person; with 0 the alias has no effect."
    )

    @classmethod
    def read_pb(cls, message: pb.SourceAlias) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "key": message.key,
            "name": message.name,
            "email": message.email,
            "user_id": message.user_id,
            "user_name": message.user_name,
            "connectors": message.connectors,
        }
        return data

    def to_pb(self) -> pb.SourceAlias:
        """Makes a protobuf message."""
        return pb.SourceAlias(
            key=self.key,
            name=self.name,
            email=self.email,
            user_id=self.user_id,
            user_name=self.user_name,
            connectors=self.connectors,
        )


class DocumentReader(ProtoModel):
    """A principal that may read a document at its source; its accounts can read it here if the connector is visible to
    them.
    """

    __proto__: ClassVar = pb.DocumentReader
    __enums__: ClassVar = {
        "kind": SourcePrincipalKind,
        "mapping": SourcePersonMapping,
    }

    key: str = Field(default="", description="The principal at the source, such as `group:google:1234`.")
    kind: SourcePrincipalKind = Field(default=SourcePrincipalKind.UNSPECIFIED, description="Kind of the principal.")
    name: str = Field(default="", description="Its name at the source; may be empty.")
    email: str = Field(default="", description="Its e-mail address at the source; may be empty.")
    accounts: _t.Int32 = Field(
        default=0, description="Number of accounts that can read the document through this principal."
    )
    is_outdated: bool = Field(
        default=False,
        description="For a group or tenant: whether its members have not been read for so long that they are ignored.",
    )
    mapping: SourcePersonMapping = Field(
        default=SourcePersonMapping.UNSPECIFIED,
        description="For a person: how they are mapped to an account; unspecified for others.",
    )
    user_id: _t.Int32 = Field(
        default=0,
        description="For a person and callers with the role `admin`: ID of the account that they are mapped to, or that has their unverified e-mail address; 0 if there is none, and otherwise.",
    )
    user_name: str = Field(default="", description="Name of that account; empty if there is none, and otherwise.")

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
    """A group as known to a source, or everyone in an organization there."""

    __proto__: ClassVar = pb.SourceGroup
    __enums__: ClassVar = {
        "kind": SourcePrincipalKind,
    }

    key: str = Field(default="", description="The principal of the group at the source, such as `group:google:1234`.")
    kind: SourcePrincipalKind = Field(default=SourcePrincipalKind.UNSPECIFIED, description="Kind: a group or a tenant.")
    name: str = Field(default="", description="Its name at the source; may be empty.")
    email: str = Field(default="", description="Its e-mail address at the source; may be empty.")
    members: _t.Int32 = Field(default=0, description="Number of people and groups that are its direct members.")
    accounts: _t.Int32 = Field(
        default=0, description="Number of accounts that are its members, including those of nested groups."
    )
    members_read_at: _t.Timestamp | None = Field(
        default=None, description="When its members were last read completely; empty if never."
    )
    is_outdated: bool = Field(default=False, description="Whether that was so long ago that the members are ignored.")

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
