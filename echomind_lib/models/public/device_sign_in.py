"""

Generated from echomind/public/v1/device_sign_in.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.api_key import ApiKeyScope
from echomind_lib.pb.echomind.public.v1 import device_sign_in_pb2 as pb


class DeviceSignInState(ProtoEnum):
    """What a program that polls learns about its sign-in."""

    UNSPECIFIED = "DEVICE_SIGN_IN_STATE_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "DEVICE_SIGN_IN_STATE_PENDING", 1
    """Nobody has decided yet: poll again after the interval."""
    SLOW_DOWN = "DEVICE_SIGN_IN_STATE_SLOW_DOWN", 2
    """It was polled before the interval was over, which is now 5 seconds longer."""
    DENIED = "DEVICE_SIGN_IN_STATE_DENIED", 3
    """A person has denied it."""
    APPROVED = "DEVICE_SIGN_IN_STATE_APPROVED", 4
    """A person has approved it: the response has the API key."""


class DeviceSignIn(ProtoModel):
    """A program on some machine that waits to be signed in by a person in their browser."""

    __proto__: ClassVar = pb.DeviceSignIn
    __enums__: ClassVar = {
        "scopes": ApiKeyScope,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    client_name: str = Field(default="", description="Name of the machine, as the program gave it.")
    address: str = Field(default="", description="IP address from which the program started it.")
    scopes: list[ApiKeyScope] = Field(
        default_factory=list, description="Scopes that the program requests for its API key."
    )
    days: _t.Int32 = Field(default=0, description="Days until the API key expires.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When the code stops working.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When the program started it.")

    @classmethod
    def read_pb(cls, message: pb.DeviceSignIn) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "client_name": message.client_name,
            "address": message.address,
            "scopes": [ApiKeyScope.numbers.get(each, each) for each in message.scopes],
            "days": message.days,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.DeviceSignIn:
        """Makes a protobuf message."""
        return pb.DeviceSignIn(
            id=self.id,
            client_name=self.client_name,
            address=self.address,
            scopes=[each.number for each in self.scopes],
            days=self.days,
            expires_at=self.expires_at,
            creation_date=self.creation_date,
        )
