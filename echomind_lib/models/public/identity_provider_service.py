"""

Generated from echomind/public/v1/identity_provider_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.identity_provider import IdentityProvider, IdentityProviderPatch
from echomind_lib.pb.echomind.public.v1 import identity_provider_service_pb2 as pb


class ListIdentityProvidersRequest(ProtoModel):
    """Request of ListIdentityProviders."""

    __proto__: ClassVar = pb.ListIdentityProvidersRequest


class ListIdentityProvidersResponse(ProtoModel):
    """Response of ListIdentityProviders."""

    __proto__: ClassVar = pb.ListIdentityProvidersResponse

    identity_providers: list[IdentityProvider] = Field(default_factory=list, description="The providers, by name.")

    @classmethod
    def read_pb(cls, message: pb.ListIdentityProvidersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "identity_providers": [IdentityProvider.read_pb(each) for each in message.identity_providers],
        }
        return data

    def to_pb(self) -> pb.ListIdentityProvidersResponse:
        """Makes a protobuf message."""
        return pb.ListIdentityProvidersResponse(
            identity_providers=[each.to_pb() for each in self.identity_providers],
        )


class GetIdentityProviderRequest(ProtoModel):
    """Request of GetIdentityProvider."""

    __proto__: ClassVar = pb.GetIdentityProviderRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the provider.")

    @classmethod
    def read_pb(cls, message: pb.GetIdentityProviderRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetIdentityProviderRequest:
        """Makes a protobuf message."""
        return pb.GetIdentityProviderRequest(
            id=self.id,
        )


class CreateIdentityProviderRequest(ProtoModel):
    """Request of CreateIdentityProvider."""

    __proto__: ClassVar = pb.CreateIdentityProviderRequest

    identity_provider: IdentityProvider = Field(
        description="The provider; `name`, `issuer` and `client_id` are required."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateIdentityProviderRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("identity_provider"):
            data["identity_provider"] = IdentityProvider.read_pb(message.identity_provider)
        return data

    def to_pb(self) -> pb.CreateIdentityProviderRequest:
        """Makes a protobuf message."""
        return pb.CreateIdentityProviderRequest(
            identity_provider=None if self.identity_provider is None else self.identity_provider.to_pb(),
        )


class UpdateIdentityProviderRequest(UpdateModel):
    """Request of UpdateIdentityProvider."""

    __proto__: ClassVar = pb.UpdateIdentityProviderRequest
    __resource__: ClassVar = ("identity_provider", IdentityProviderPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the provider.")
    identity_provider: IdentityProviderPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "title",
            "issuer",
            "client_id",
            "client_secret",
            "has_client_secret",
            "scopes",
            "algorithms",
            "email_trust",
            "email_domains",
            "create_accounts",
            "mapping",
            "is_active",
            "is_managed",
            "audience",
            "creation_date",
            "last_update",
            "updated_by",
            "updated_by_name",
        ),
    ] = Field(description="Fields to change; empty means all given ones.")

    @classmethod
    def read_pb(cls, message: pb.UpdateIdentityProviderRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("identity_provider"):
            data["identity_provider"] = IdentityProvider.read_pb(message.identity_provider)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateIdentityProviderRequest:
        """Makes a protobuf message."""
        return pb.UpdateIdentityProviderRequest(
            id=self.id,
            identity_provider=None if self.identity_provider is None else self.identity_provider.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteIdentityProviderRequest(ProtoModel):
    """Request of DeleteIdentityProvider."""

    __proto__: ClassVar = pb.DeleteIdentityProviderRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the provider.")

    @classmethod
    def read_pb(cls, message: pb.DeleteIdentityProviderRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteIdentityProviderRequest:
        """Makes a protobuf message."""
        return pb.DeleteIdentityProviderRequest(
            id=self.id,
        )


class TestIdentityProviderRequest(ProtoModel):
    """Request of TestIdentityProvider."""

    __proto__: ClassVar = pb.TestIdentityProviderRequest

    name: Annotated[str, Field(min_length=1, max_length=40), _r.NAME] = Field(
        description="Name of the provider; those of the settings too."
    )

    @classmethod
    def read_pb(cls, message: pb.TestIdentityProviderRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
        }
        return data

    def to_pb(self) -> pb.TestIdentityProviderRequest:
        """Makes a protobuf message."""
        return pb.TestIdentityProviderRequest(
            name=self.name,
        )


class TestIdentityProviderResponse(ProtoModel):
    """Response of TestIdentityProvider."""

    __proto__: ClassVar = pb.TestIdentityProviderResponse

    ok: bool = Field(default=False, description="Whether document and keys are usable.")
    message: str = Field(default="", description="What is wrong; or where people sign in.")

    @classmethod
    def read_pb(cls, message: pb.TestIdentityProviderResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "ok": message.ok,
            "message": message.message,
        }
        return data

    def to_pb(self) -> pb.TestIdentityProviderResponse:
        """Makes a protobuf message."""
        return pb.TestIdentityProviderResponse(
            ok=self.ok,
            message=self.message,
        )


class IdentityProviderService(ABC):
    """OpenID providers that people sign in at. All calls need `superadmin`; a key needs the scope `administer`.
    `GET /auth/oidc/{name}?test=true` signs a superadmin's browser in at a provider without an account and a session, and
    shows the claims and what they mean.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["IdentityProviderService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method(
            "ListIdentityProviders",
            "list_identity_providers",
            ListIdentityProvidersRequest,
            ListIdentityProvidersResponse,
        ),
        Method("GetIdentityProvider", "get_identity_provider", GetIdentityProviderRequest, IdentityProvider),
        Method("CreateIdentityProvider", "create_identity_provider", CreateIdentityProviderRequest, IdentityProvider),
        Method("UpdateIdentityProvider", "update_identity_provider", UpdateIdentityProviderRequest, IdentityProvider),
        Method("DeleteIdentityProvider", "delete_identity_provider", DeleteIdentityProviderRequest, Empty),
        Method(
            "TestIdentityProvider", "test_identity_provider", TestIdentityProviderRequest, TestIdentityProviderResponse
        ),
    )

    @abstractmethod
    async def list_identity_providers(
        self, request: ListIdentityProvidersRequest, call: CallContext
    ) -> ListIdentityProvidersResponse:
        """Lists the providers by name, with those of the settings."""

    @abstractmethod
    async def get_identity_provider(self, request: GetIdentityProviderRequest, call: CallContext) -> IdentityProvider:
        """Reads one provider. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_identity_provider(
        self, request: CreateIdentityProviderRequest, call: CallContext
    ) -> IdentityProvider:
        """Adds a provider. Errors: ALREADY_EXISTS (the name or the issuer, also in the settings), PERMISSION_DENIED (a key
        that expires).
        """

    @abstractmethod
    async def update_identity_provider(
        self, request: UpdateIdentityProviderRequest, call: CallContext
    ) -> IdentityProvider:
        """Updates a provider; its name stays. Errors: NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED (a key that expires),
        INVALID_ARGUMENT (no superadmin who can sign in would remain).
        """

    @abstractmethod
    async def delete_identity_provider(self, request: DeleteIdentityProviderRequest, call: CallContext) -> Empty:
        """Deletes a provider: web sessions that were begun with it end, and the groups and roles that it gave are taken back.
        Accounts stay, and are found again if the issuer is added again. Errors: NOT_FOUND, INVALID_ARGUMENT (no superadmin
        would remain).
        """

    @abstractmethod
    async def test_identity_provider(
        self, request: TestIdentityProviderRequest, call: CallContext
    ) -> TestIdentityProviderResponse:
        """Reads a provider's discovery document and its keys, and returns whether both are usable. Errors: NOT_FOUND."""
