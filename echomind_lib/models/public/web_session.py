"""

Generated from echomind/public/v1/web_session.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import web_session_pb2 as pb


class WebSession(ProtoModel):
    """A signed-in browser."""

    __proto__: ClassVar = pb.WebSession

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    user_agent: str = Field(default="", description="The browser's `User-Agent`; empty if it sent none.")
    address: str = Field(
        default="", description="The IP address from which it signed in; empty for sessions older than this field."
    )
    is_current: bool = Field(default=False, description="Whether it is the session of this call.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the sign-in.")
    last_seen: _t.Timestamp | None = Field(default=None, description="When it was last used, to the minute.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires.")

    @classmethod
    def read_pb(cls, message: pb.WebSession) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_agent": message.user_agent,
            "address": message.address,
            "is_current": message.is_current,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_seen"):
            data["last_seen"] = message.last_seen.ToDatetime(UTC)
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.WebSession:
        """Makes a protobuf message."""
        return pb.WebSession(
            id=self.id,
            user_agent=self.user_agent,
            address=self.address,
            is_current=self.is_current,
            creation_date=self.creation_date,
            last_seen=self.last_seen,
            expires_at=self.expires_at,
        )
