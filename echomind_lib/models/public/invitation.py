"""

Generated from echomind/public/v1/invitation.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import Role
from echomind_lib.pb.echomind.public.v1 import invitation_pb2 as pb


class InvitationStatus(ProtoEnum):
    """Status of an invitation."""

    UNSPECIFIED = "INVITATION_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    OPEN = "INVITATION_STATUS_OPEN", 1
    """Its link can be used."""
    ACCEPTED = "INVITATION_STATUS_ACCEPTED", 2
    """An account was created with it."""
    EXPIRED = "INVITATION_STATUS_EXPIRED", 3
    """Expired."""
    SUSPENDED = "INVITATION_STATUS_SUSPENDED", 4
    """Its creator is no longer an active superadmin, so its link does not work."""


class Invitation(ProtoModel):
    """A link with which one person creates their own account."""

    __proto__: ClassVar = pb.Invitation
    __enums__: ClassVar = {
        "roles": Role,
        "status": InvitationStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    email: Annotated[
        str,
        Field(
            max_length=255,
            pattern="^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@]+@[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@]+$",
        ),
        _r.NAME,
        _r.UNLESS_ZERO,
    ] = Field(default="", description="E-mail address of the account; empty if the person enters their own.")
    roles: list[Annotated[Role, _r.none_of(Role.UNSPECIFIED)]] = Field(
        default_factory=list, description="Roles of the account; every account has at least `user`."
    )
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255), _r.NAME]], Field(max_length=1000), _r.UNIQUE
    ] = Field(default_factory=list, description="Names of the groups that the account will belong to.")
    expires_at: _t.Timestamp | None = Field(
        default=None, description="When its link expires: at most 90 days ahead. Empty in a request means in 7 days."
    )
    status: InvitationStatus = Field(default=InvitationStatus.UNSPECIFIED, description="Status; set by the server.")
    invited_by: _t.Int32 = Field(default=0, description="ID of the account that created it; set by the server.")
    accepted_user_id: _t.Int32 = Field(
        default=0,
        description="ID of the account that was created with it; 0 if there is none, or if it was purged. Set by the server.",
    )
    accepted_at: _t.Timestamp | None = Field(default=None, description="When it was accepted; empty if it was not.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time.")

    @classmethod
    def read_pb(cls, message: pb.Invitation) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "email": message.email,
            "roles": [Role.numbers.get(each, each) for each in message.roles],
            "groups": list(message.groups),
            "status": InvitationStatus.numbers.get(message.status, message.status),
            "invited_by": message.invited_by,
            "accepted_user_id": message.accepted_user_id,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("accepted_at"):
            data["accepted_at"] = message.accepted_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Invitation:
        """Makes a protobuf message."""
        return pb.Invitation(
            id=self.id,
            email=self.email,
            roles=[each.number for each in self.roles],
            groups=self.groups,
            expires_at=self.expires_at,
            status=self.status.number,
            invited_by=self.invited_by,
            accepted_user_id=self.accepted_user_id,
            accepted_at=self.accepted_at,
            creation_date=self.creation_date,
        )
