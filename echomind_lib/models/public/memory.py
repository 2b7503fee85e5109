"""

Generated from echomind/public/v1/memory.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import memory_pb2 as pb


class MemoryType(ProtoEnum):
    """Type of a memory."""

    UNSPECIFIED = "MEMORY_TYPE_UNSPECIFIED", 0
    """Unspecified."""
    EPISODIC = "MEMORY_TYPE_EPISODIC", 1
    """An event, past or future; its importance fades with time."""
    SEMANTIC = "MEMORY_TYPE_SEMANTIC", 2
    """A fact about the user, or one of their preferences."""
    PROCEDURAL = "MEMORY_TYPE_PROCEDURAL", 3
    """A way of working that proved successful."""


class MemoryTrust(ProtoEnum):
    """Origin of a memory."""

    UNSPECIFIED = "MEMORY_TRUST_UNSPECIFIED", 0
    """Unspecified."""
    USER_SAID = "MEMORY_TRUST_USER_SAID", 1
    """The user said it in a conversation."""
    USER_CONFIRMED = "MEMORY_TRUST_USER_CONFIRMED", 2
    """The user wrote, edited or approved the memory."""
    DERIVED = "MEMORY_TRUST_DERIVED", 3
    """At least a part of it comes from answers or sources. Side effects of an answer with such a memory in its prompt
    need approval.
    """


class Memory(ProtoModel):
    """Something that EchoMind remembers of a user across conversations. Only that user can see it."""

    __proto__: ClassVar = pb.Memory
    __enums__: ClassVar = {
        "memory_type": MemoryType,
        "trust": MemoryTrust,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    memory_type: MemoryType = Field(
        default=MemoryType.UNSPECIFIED, description="Its type; unspecified at creation means semantic."
    )
    content: Annotated[str, Field(max_length=2000), _r.SET_TEXT] = Field(
        description="The text, one line. Must not contain a secret such as a password, a key or a card number."
    )
    importance_score: Annotated[_t.Float, Field(le=1.0, ge=0.0)] | None = Field(
        default=None, description="Importance, 0 to 1; unset means 0.5."
    )
    confidence: _t.Float = Field(
        default=0.0, description="Confidence, 0 to 1; 1 once the user has written or edited it. Set by the server."
    )
    trust: MemoryTrust = Field(default=MemoryTrust.UNSPECIFIED, description="Origin. Set by the server.")
    access_count: _t.Int32 = Field(default=0, description="Number of answers that used it. Set by the server.")
    last_accessed_at: _t.Timestamp | None = Field(
        default=None, description="When an answer last used it; empty if never. Set by the server."
    )
    source_session_id: _t.Int32 | None = Field(
        default=None,
        description="ID of the first conversation that it was extracted from; unset if written by hand, or if that was purged. Set by the server.",
    )
    source_message_ids: list[_t.Int64] = Field(
        default_factory=list, description="IDs of the messages that state it, in all conversations. Set by the server."
    )
    creation_date: _t.Timestamp | None = Field(
        default=None, description="Time at which it was stored. Set by the server."
    )
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed. Set by the server."
    )
    expires_at: _t.Timestamp | None = Field(default=None, description="When it expires; empty for never.")
    valid_to: _t.Timestamp | None = Field(
        default=None, description="When it was replaced or withdrawn; empty while it is valid. Set by the server."
    )
    superseded_by: _t.Int32 | None = Field(
        default=None,
        description="ID of the memory that replaced it; unset while it is valid, and if it was withdrawn. Set by the server.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of its user if they made the last change; 0 if EchoMind made it, and if it was never changed. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.Memory) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "memory_type": MemoryType.numbers.get(message.memory_type, message.memory_type),
            "content": message.content,
            "confidence": message.confidence,
            "trust": MemoryTrust.numbers.get(message.trust, message.trust),
            "access_count": message.access_count,
            "source_message_ids": list(message.source_message_ids),
            "updated_by": message.updated_by,
        }
        if message.HasField("importance_score"):
            data["importance_score"] = message.importance_score
        if message.HasField("last_accessed_at"):
            data["last_accessed_at"] = message.last_accessed_at.ToDatetime(UTC)
        if message.HasField("source_session_id"):
            data["source_session_id"] = message.source_session_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("valid_to"):
            data["valid_to"] = message.valid_to.ToDatetime(UTC)
        if message.HasField("superseded_by"):
            data["superseded_by"] = message.superseded_by
        return data

    def to_pb(self) -> pb.Memory:
        """Makes a protobuf message."""
        return pb.Memory(
            id=self.id,
            memory_type=self.memory_type.number,
            content=self.content,
            importance_score=self.importance_score,
            confidence=self.confidence,
            trust=self.trust.number,
            access_count=self.access_count,
            last_accessed_at=self.last_accessed_at,
            source_session_id=self.source_session_id,
            source_message_ids=self.source_message_ids,
            creation_date=self.creation_date,
            last_update=self.last_update,
            expires_at=self.expires_at,
            valid_to=self.valid_to,
            superseded_by=self.superseded_by,
            updated_by=self.updated_by,
        )


class MemoryPatch(PatchModel, Memory):
    """New values of Memory: what is not given stays as it is, null resets to the default."""

    content: Annotated[str, Field(max_length=2000), _r.SET_TEXT] = Field(
        default="",
        description="The text, one line. Must not contain a secret such as a password, a key or a card number.",
    )
