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
from echomind_lib.pb.echomind.public.v1 import group_pb2 as pb


class Group(ProtoModel):
    """A group of users, who can read the connectors that are shared with it."""

    __proto__: ClassVar = pb.Group

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        description="Unique name. Immutable, as connectors and passages store it."
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
        )


class GroupPatch(PatchModel, Group):
    """New values of Group: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Unique name. Immutable, as connectors and passages store it."
    )
