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


class SignInOptions(ProtoModel):
    """How users can sign in."""

    __proto__: ClassVar = pb.SignInOptions

    mode: str = Field(default="", description="`local` or `oidc`.")
    password: bool = Field(default=False, description="Whether sign-in with user name and password is available.")

    @classmethod
    def read_pb(cls, message: pb.SignInOptions) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "mode": message.mode,
            "password": message.password,
        }
        return data

    def to_pb(self) -> pb.SignInOptions:
        """Makes a protobuf message."""
        return pb.SignInOptions(
            mode=self.mode,
            password=self.password,
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
