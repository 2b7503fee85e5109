"""

Generated from echomind/public/v1/auth.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import auth_pb2 as pb


class SignInProvider(ProtoModel):
    """An OpenID provider that people can sign in at."""

    __proto__: ClassVar = pb.SignInProvider

    name: str = Field(
        default="", description="Its name in the settings. A browser signs in by opening `/auth/oidc/{name}`."
    )
    title: str = Field(default="", description="What people know it by.")

    @classmethod
    def read_pb(cls, message: pb.SignInProvider) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.SignInProvider:
        """Makes a protobuf message."""
        return pb.SignInProvider(
            name=self.name,
            title=self.title,
        )


class SignInOptions(ProtoModel):
    """How users can sign in."""

    __proto__: ClassVar = pb.SignInOptions

    mode: str = Field(default="", description="`local`: accounts of EchoMind, beside those of `providers`.")
    password: bool = Field(default=False, description="Whether sign-in with user name and password is available.")
    providers: list[SignInProvider] = Field(
        default_factory=list, description="OpenID providers that people can sign in at, in the order of their names."
    )

    @classmethod
    def read_pb(cls, message: pb.SignInOptions) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "mode": message.mode,
            "password": message.password,
            "providers": [SignInProvider.read_pb(each) for each in message.providers],
        }
        return data

    def to_pb(self) -> pb.SignInOptions:
        """Makes a protobuf message."""
        return pb.SignInOptions(
            mode=self.mode,
            password=self.password,
            providers=[each.to_pb() for each in self.providers],
        )


class SignInLink(ProtoModel):
    """A one-time link that signs in one user."""

    __proto__: ClassVar = pb.SignInLink

    path: str = Field(default="", description="Path and query of the link, relative to the address of the server.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires.")

    @classmethod
    def read_pb(cls, message: pb.SignInLink) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "path": message.path,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SignInLink:
        """Makes a protobuf message."""
        return pb.SignInLink(
            path=self.path,
            expires_at=self.expires_at,
        )


class PasswordLink(ProtoModel):
    """A one-time link to set a new password."""

    __proto__: ClassVar = pb.PasswordLink

    path: str = Field(default="", description="Path of the link, relative to the address of the server.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires.")

    @classmethod
    def read_pb(cls, message: pb.PasswordLink) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "path": message.path,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.PasswordLink:
        """Makes a protobuf message."""
        return pb.PasswordLink(
            path=self.path,
            expires_at=self.expires_at,
        )
