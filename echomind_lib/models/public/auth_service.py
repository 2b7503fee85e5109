"""

Generated from echomind/public/v1/auth_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.auth import PasswordLink, SignInLink, SignInOptions
from echomind_lib.pb.echomind.public.v1 import auth_service_pb2 as pb


class CreateSignInLinkRequest(ProtoModel):
    """Request of CreateSignInLink."""

    __proto__: ClassVar = pb.CreateSignInLinkRequest

    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the user; 0 means the caller.")

    @classmethod
    def read_pb(cls, message: pb.CreateSignInLinkRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.CreateSignInLinkRequest:
        """Makes a protobuf message."""
        return pb.CreateSignInLinkRequest(
            user_id=self.user_id,
        )


class CreatePasswordLinkRequest(ProtoModel):
    """Request of CreatePasswordLink."""

    __proto__: ClassVar = pb.CreatePasswordLinkRequest

    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the user.")

    @classmethod
    def read_pb(cls, message: pb.CreatePasswordLinkRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.CreatePasswordLinkRequest:
        """Makes a protobuf message."""
        return pb.CreatePasswordLinkRequest(
            user_id=self.user_id,
        )


class SetPasswordRequest(ProtoModel):
    """Request of SetPassword."""

    __proto__: ClassVar = pb.SetPasswordRequest

    password: Annotated[str, Field(min_length=12, max_length=1024)] = Field(description="The new password.")
    current_password: Annotated[str, Field(max_length=1024)] = Field(
        default="",
        description="The current password. May be empty if there is none, or if the web session was signed in within the last 10 minutes.",
    )
    revoke_api_keys: bool = Field(
        default=False,
        description="Whether to revoke the caller's API keys as well, except the one that makes this call.",
    )

    @classmethod
    def read_pb(cls, message: pb.SetPasswordRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "password": message.password,
            "current_password": message.current_password,
            "revoke_api_keys": message.revoke_api_keys,
        }
        return data

    def to_pb(self) -> pb.SetPasswordRequest:
        """Makes a protobuf message."""
        return pb.SetPasswordRequest(
            password=self.password,
            current_password=self.current_password,
            revoke_api_keys=self.revoke_api_keys,
        )


class AuthService(ABC):
    """Sign-in. The sign-in itself sets a cookie and is therefore plain HTTP: `GET /auth/link`, `POST /auth/sign-in`, `POST
    /auth/sign-out`, `POST /auth/password`, and at an OpenID provider `GET /auth/oidc/{name}`.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["AuthService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetSignInOptions", "get_sign_in_options", Empty, SignInOptions),
        Method("CreateSignInLink", "create_sign_in_link", CreateSignInLinkRequest, SignInLink),
        Method("CreatePasswordLink", "create_password_link", CreatePasswordLinkRequest, PasswordLink),
        Method("SetPassword", "set_password", SetPasswordRequest, Empty),
    )

    @abstractmethod
    async def get_sign_in_options(self, request: Empty, call: CallContext) -> SignInOptions:
        """Returns how users can sign in. Requires no authentication."""

    @abstractmethod
    async def create_sign_in_link(self, request: CreateSignInLinkRequest, call: CallContext) -> SignInLink:
        """Creates a one-time sign-in link for an account, in local mode: for the caller, or for anyone with `superadmin`. A
        key needs the scope `administer`. Errors: AUTH_MODE, NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def create_password_link(self, request: CreatePasswordLinkRequest, call: CallContext) -> PasswordLink:
        """Creates a one-time link with which the user of an account sets a new password and is signed in, in local mode. The
        earlier password works until then. Needs `superadmin`; a key needs the scope `administer` and no expiry; for the
        caller's own account the web session must have been signed in within the last 10 minutes. Errors: AUTH_MODE,
        NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`,
        `recent_sign_in`).
        """

    @abstractmethod
    async def set_password(self, request: SetPasswordRequest, call: CallContext) -> Empty:
        """Sets the caller's own password, in local mode. A key needs the scope `administer`. The current password is
        required, except in a web session that was signed in within the last 10 minutes; if the account has no password,
        such a session is required. Ends the caller's other web sessions and all sign-in links. Errors: AUTH_MODE,
        OVERLOADED, PERMISSION_DENIED (metadata `required`: `administer`, `lasting_credential`, `current_password`,
        `recent_sign_in`).
        """
