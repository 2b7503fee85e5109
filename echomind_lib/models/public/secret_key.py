"""

Generated from echomind/public/v1/secret_key.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import secret_key_pb2 as pb


class SecretKeySource(ProtoEnum):
    """Where the keys come from."""

    UNSPECIFIED = "SECRET_KEY_SOURCE_UNSPECIFIED", 0
    """Unspecified."""
    FILE = "SECRET_KEY_SOURCE_FILE", 1
    """The file `secret-keys` in the data folder. EchoMind can add and remove keys."""
    ENVIRONMENT = "SECRET_KEY_SOURCE_ENVIRONMENT", 2
    """`ECHOMIND_SECRETS__KEYS` of each service. Whoever runs the services changes it."""


class SecretKey(ProtoModel):
    """A key that encrypts stored secrets: keys of models, credentials of connectors, secrets of MCP servers and of identity
    providers. The key itself is never shown.
    """

    __proto__: ClassVar = pb.SecretKey

    id: str = Field(default="", description="First 16 hexadecimal digits of its SHA-256.")
    is_primary: bool = Field(
        default=False, description="Whether it encrypts what is stored from now on. There is one such key."
    )
    secret_count: _t.Int32 = Field(default=0, description="Number of stored secrets that are encrypted with it.")

    @classmethod
    def read_pb(cls, message: pb.SecretKey) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "is_primary": message.is_primary,
            "secret_count": message.secret_count,
        }
        return data

    def to_pb(self) -> pb.SecretKey:
        """Makes a protobuf message."""
        return pb.SecretKey(
            id=self.id,
            is_primary=self.is_primary,
            secret_count=self.secret_count,
        )
