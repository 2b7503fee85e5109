"""

Generated from echomind/public/v1/invitation_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.invitation import Invitation
from echomind_lib.pb.echomind.public.v1 import invitation_service_pb2 as pb


class ListInvitationsRequest(ProtoModel):
    """Request of ListInvitations."""

    __proto__: ClassVar = pb.ListInvitationsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListInvitationsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListInvitationsRequest:
        """Makes a protobuf message."""
        return pb.ListInvitationsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListInvitationsResponse(ProtoModel):
    """Response of ListInvitations."""

    __proto__: ClassVar = pb.ListInvitationsResponse

    invitations: list[Invitation] = Field(default_factory=list, description="The invitations, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListInvitationsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "invitations": [Invitation.read_pb(each) for each in message.invitations],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListInvitationsResponse:
        """Makes a protobuf message."""
        return pb.ListInvitationsResponse(
            invitations=[each.to_pb() for each in self.invitations],
            next_page_token=self.next_page_token,
        )


class CreateInvitationRequest(ProtoModel):
    """Request of CreateInvitation."""

    __proto__: ClassVar = pb.CreateInvitationRequest

    invitation: Invitation = Field(
        description="The invitation: `email`, `roles`, `groups` and `expires_at`, all optional."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateInvitationRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("invitation"):
            data["invitation"] = Invitation.read_pb(message.invitation)
        return data

    def to_pb(self) -> pb.CreateInvitationRequest:
        """Makes a protobuf message."""
        return pb.CreateInvitationRequest(
            invitation=None if self.invitation is None else self.invitation.to_pb(),
        )


class CreateInvitationResponse(ProtoModel):
    """Response of CreateInvitation."""

    __proto__: ClassVar = pb.CreateInvitationResponse

    invitation: Invitation | None = Field(default=None, description="The invitation.")
    path: str = Field(
        default="", description="Path of the link, relative to the address of the server; returned only once."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateInvitationResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "path": message.path,
        }
        if message.HasField("invitation"):
            data["invitation"] = Invitation.read_pb(message.invitation)
        return data

    def to_pb(self) -> pb.CreateInvitationResponse:
        """Makes a protobuf message."""
        return pb.CreateInvitationResponse(
            invitation=None if self.invitation is None else self.invitation.to_pb(),
            path=self.path,
        )


class DeleteInvitationRequest(ProtoModel):
    """Request of DeleteInvitation."""

    __proto__: ClassVar = pb.DeleteInvitationRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the invitation.")

    @classmethod
    def read_pb(cls, message: pb.DeleteInvitationRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteInvitationRequest:
        """Makes a protobuf message."""
        return pb.DeleteInvitationRequest(
            id=self.id,
        )


class InvitationService(ABC):
    """Invitations to create an account with a link, in local mode. The page of the link uses plain HTTP, as it sets a
    cookie: `POST /auth/invitation` returns what a link offers, `POST /auth/join` creates the account and signs it in.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["InvitationService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListInvitations", "list_invitations", ListInvitationsRequest, ListInvitationsResponse),
        Method("CreateInvitation", "create_invitation", CreateInvitationRequest, CreateInvitationResponse),
        Method("DeleteInvitation", "delete_invitation", DeleteInvitationRequest, Empty),
    )

    @abstractmethod
    async def list_invitations(self, request: ListInvitationsRequest, call: CallContext) -> ListInvitationsResponse:
        """Lists invitations, newest first, without their links. Needs `admin`."""

    @abstractmethod
    async def create_invitation(self, request: CreateInvitationRequest, call: CallContext) -> CreateInvitationResponse:
        """Creates an invitation. Its link is returned by this call only, and works once. Needs `superadmin`; a key needs the
        scope `administer` and no expiry. Errors: ALREADY_EXISTS (an account has the e-mail address), AUTH_MODE,
        PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED.
        """

    @abstractmethod
    async def delete_invitation(self, request: DeleteInvitationRequest, call: CallContext) -> Empty:
        """Deletes an invitation: its link stops working immediately. An account that was created with it stays. Needs
        `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED.
        """
