"""

Generated from echomind/public/v1/scim_client_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.scim_client import ScimClient, ScimToken
from echomind_lib.pb.echomind.public.v1 import scim_client_service_pb2 as pb


class ListScimClientsRequest(ProtoModel):
    """Request of ListScimClients."""

    __proto__: ClassVar = pb.ListScimClientsRequest


class ListScimClientsResponse(ProtoModel):
    """Response of ListScimClients."""

    __proto__: ClassVar = pb.ListScimClientsResponse

    scim_clients: list[ScimClient] = Field(default_factory=list, description="The clients, by name.")

    @classmethod
    def read_pb(cls, message: pb.ListScimClientsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "scim_clients": [ScimClient.read_pb(each) for each in message.scim_clients],
        }
        return data

    def to_pb(self) -> pb.ListScimClientsResponse:
        """Makes a protobuf message."""
        return pb.ListScimClientsResponse(
            scim_clients=[each.to_pb() for each in self.scim_clients],
        )


class GetScimClientRequest(ProtoModel):
    """Request of GetScimClient."""

    __proto__: ClassVar = pb.GetScimClientRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the client.")

    @classmethod
    def read_pb(cls, message: pb.GetScimClientRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetScimClientRequest:
        """Makes a protobuf message."""
        return pb.GetScimClientRequest(
            id=self.id,
        )


class CreateScimClientRequest(ProtoModel):
    """Request of CreateScimClient."""

    __proto__: ClassVar = pb.CreateScimClientRequest

    scim_client: ScimClient = Field(description="The client; `name` is required.")

    @classmethod
    def read_pb(cls, message: pb.CreateScimClientRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("scim_client"):
            data["scim_client"] = ScimClient.read_pb(message.scim_client)
        return data

    def to_pb(self) -> pb.CreateScimClientRequest:
        """Makes a protobuf message."""
        return pb.CreateScimClientRequest(
            scim_client=None if self.scim_client is None else self.scim_client.to_pb(),
        )


class DeleteScimClientRequest(ProtoModel):
    """Request of DeleteScimClient."""

    __proto__: ClassVar = pb.DeleteScimClientRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the client.")

    @classmethod
    def read_pb(cls, message: pb.DeleteScimClientRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteScimClientRequest:
        """Makes a protobuf message."""
        return pb.DeleteScimClientRequest(
            id=self.id,
        )


class CreateScimTokenRequest(ProtoModel):
    """Request of CreateScimToken."""

    __proto__: ClassVar = pb.CreateScimTokenRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the client.")
    expires_at: _t.Timestamp | None = Field(
        default=None, description="When the token expires, within two years; empty means in a year."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateScimTokenRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.CreateScimTokenRequest:
        """Makes a protobuf message."""
        return pb.CreateScimTokenRequest(
            id=self.id,
            expires_at=self.expires_at,
        )


class CreateScimTokenResponse(ProtoModel):
    """Response of CreateScimToken."""

    __proto__: ClassVar = pb.CreateScimTokenResponse

    token: ScimToken | None = Field(default=None, description="The token.")
    secret: str = Field(default="", description="The secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.CreateScimTokenResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("token"):
            data["token"] = ScimToken.read_pb(message.token)
        return data

    def to_pb(self) -> pb.CreateScimTokenResponse:
        """Makes a protobuf message."""
        return pb.CreateScimTokenResponse(
            token=None if self.token is None else self.token.to_pb(),
            secret=self.secret,
        )


class DeleteScimTokenRequest(ProtoModel):
    """Request of DeleteScimToken."""

    __proto__: ClassVar = pb.DeleteScimTokenRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the client.")
    token_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the token.")

    @classmethod
    def read_pb(cls, message: pb.DeleteScimTokenRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "token_id": message.token_id,
        }
        return data

    def to_pb(self) -> pb.DeleteScimTokenRequest:
        """Makes a protobuf message."""
        return pb.DeleteScimTokenRequest(
            id=self.id,
            token_id=self.token_id,
        )


class GiveUserToScimClientRequest(ProtoModel):
    """Request of GiveUserToScimClient."""

    __proto__: ClassVar = pb.GiveUserToScimClientRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the client.")
    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")
    user_name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="",
        description="The `userName` that the client looks for; empty means the account's e-mail address, or else its user name.",
    )

    @classmethod
    def read_pb(cls, message: pb.GiveUserToScimClientRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        return data

    def to_pb(self) -> pb.GiveUserToScimClientRequest:
        """Makes a protobuf message."""
        return pb.GiveUserToScimClientRequest(
            id=self.id,
            user_id=self.user_id,
            user_name=self.user_name,
        )


class ScimClientService(ABC):
    """Identity systems that maintain accounts and groups by SCIM 2.0. All calls need `superadmin`; a key needs the scope
    `administer`.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ScimClientService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListScimClients", "list_scim_clients", ListScimClientsRequest, ListScimClientsResponse),
        Method("GetScimClient", "get_scim_client", GetScimClientRequest, ScimClient),
        Method("CreateScimClient", "create_scim_client", CreateScimClientRequest, ScimClient),
        Method("DeleteScimClient", "delete_scim_client", DeleteScimClientRequest, Empty),
        Method("CreateScimToken", "create_scim_token", CreateScimTokenRequest, CreateScimTokenResponse),
        Method("DeleteScimToken", "delete_scim_token", DeleteScimTokenRequest, Empty),
        Method("GiveUserToScimClient", "give_user_to_scim_client", GiveUserToScimClientRequest, ScimClient),
    )

    @abstractmethod
    async def list_scim_clients(self, request: ListScimClientsRequest, call: CallContext) -> ListScimClientsResponse:
        """Lists the clients by name."""

    @abstractmethod
    async def get_scim_client(self, request: GetScimClientRequest, call: CallContext) -> ScimClient:
        """Reads one client. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_scim_client(self, request: CreateScimClientRequest, call: CallContext) -> ScimClient:
        """Adds a client, which has no token yet. Errors: ALREADY_EXISTS, NOT_FOUND (the provider)."""

    @abstractmethod
    async def delete_scim_client(self, request: DeleteScimClientRequest, call: CallContext) -> Empty:
        """Removes a client: its tokens stop working within a minute, and the memberships that it gave are taken back. Accounts
        and groups stay. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def create_scim_token(self, request: CreateScimTokenRequest, call: CallContext) -> CreateScimTokenResponse:
        """Makes a token, whose secret is returned by this call only. A client has at most two, so that one can be replaced
        without a gap. Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`: `lasting_credential`, `recent_sign_in`),
        VALIDATION_FAILED (a third token).
        """

    @abstractmethod
    async def delete_scim_token(self, request: DeleteScimTokenRequest, call: CallContext) -> Empty:
        """Removes a token: it stops working within a minute. Errors: NOT_FOUND."""

    @abstractmethod
    async def give_user_to_scim_client(self, request: GiveUserToScimClientRequest, call: CallContext) -> ScimClient:
        """Gives a client an account, which it then maintains as a user of this name: it changes names and address, deactivates
        and activates it. Errors: NOT_FOUND (the client, the account), ALREADY_EXISTS (a client maintains the account, or this
        one has a user of this name).
        """
