"""

Generated from echomind/public/v1/legal_hold.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import legal_hold_pb2 as pb


class LegalHold(ProtoModel):
    """Keeps what belongs to a person, or one conversation: until it is released, neither retention rules nor people delete
    it permanently, and the person is not erased. It cannot be changed, only released.
    """

    __proto__: ClassVar = pb.LegalHold

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the person; 0 for a conversation.")
    user_name: str = Field(
        default="",
        description="User name of the person; empty for a conversation, and if the account was deleted after the release. Set by the server.",
    )
    chat_session_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="ID of the conversation; 0 for a person."
    )
    reason: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="Why, for superadmins; 1 to 1,000 characters."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was placed.")
    placed_by_name: str = Field(
        default="", description="User name of the superadmin who placed it; empty if the account was deleted."
    )
    released_at: _t.Timestamp | None = Field(default=None, description="When it was released; empty while it holds.")
    released_by_name: str = Field(
        default="",
        description="User name of the superadmin who released it; empty while it holds, and if the account was deleted.",
    )

    @classmethod
    def read_pb(cls, message: pb.LegalHold) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "user_name": message.user_name,
            "chat_session_id": message.chat_session_id,
            "reason": message.reason,
            "placed_by_name": message.placed_by_name,
            "released_by_name": message.released_by_name,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("released_at"):
            data["released_at"] = message.released_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.LegalHold:
        """Makes a protobuf message."""
        return pb.LegalHold(
            id=self.id,
            user_id=self.user_id,
            user_name=self.user_name,
            chat_session_id=self.chat_session_id,
            reason=self.reason,
            creation_date=self.creation_date,
            placed_by_name=self.placed_by_name,
            released_at=self.released_at,
            released_by_name=self.released_by_name,
        )
