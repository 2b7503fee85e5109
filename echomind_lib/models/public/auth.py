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
    """How one can sign in."""

    __proto__: ClassVar = pb.SignInOptions

    mode: str = Field(default="", description="`local` or `oidc`.")
    password: bool = Field(default=False, description="Whether a name and a password can be used.")

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
    """A link that signs one person in, once."""

    __proto__: ClassVar = pb.SignInLink

    path: str = Field(default="", description="The link's path and query, to be put behind the server's own address.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it stops working.")

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
    """A link by which one person chooses a new password, once."""

    __proto__: ClassVar = pb.PasswordLink

    path: str = Field(default="", description="The link's path, to be put behind the server's own address.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it stops working.")

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
