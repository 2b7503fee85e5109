"""

Generated from echomind/public/v1/directory.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import directory_pb2 as pb


class DirectoryPerson(ProtoModel):
    """A person whom the caller can share with."""

    __proto__: ClassVar = pb.DirectoryPerson

    user_id: _t.Int32 = Field(default=0, description="ID of the account.")
    user_name: str = Field(default="", description="Its user name.")
    name: str = Field(default="", description="First and last name; may be empty.")
    email: str = Field(
        default="", description="E-mail address, for admins, and if the search names it in full; empty otherwise."
    )

    @classmethod
    def read_pb(cls, message: pb.DirectoryPerson) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
            "user_name": message.user_name,
            "name": message.name,
            "email": message.email,
        }
        return data

    def to_pb(self) -> pb.DirectoryPerson:
        """Makes a protobuf message."""
        return pb.DirectoryPerson(
            user_id=self.user_id,
            user_name=self.user_name,
            name=self.name,
            email=self.email,
        )


class DirectoryGroup(ProtoModel):
    """A group that the caller can share with."""

    __proto__: ClassVar = pb.DirectoryGroup

    group_id: _t.Int32 = Field(default=0, description="ID of the group.")
    name: str = Field(default="", description="Its name.")
    member_count: _t.Int32 = Field(default=0, description="Number of its active members.")
    display_name: str = Field(default="", description="Name that is shown instead of `name`; empty shows `name`.")

    @classmethod
    def read_pb(cls, message: pb.DirectoryGroup) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "group_id": message.group_id,
            "name": message.name,
            "member_count": message.member_count,
            "display_name": message.display_name,
        }
        return data

    def to_pb(self) -> pb.DirectoryGroup:
        """Makes a protobuf message."""
        return pb.DirectoryGroup(
            group_id=self.group_id,
            name=self.name,
            member_count=self.member_count,
            display_name=self.display_name,
        )
