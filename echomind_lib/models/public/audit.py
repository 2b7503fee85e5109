"""

Generated from echomind/public/v1/audit.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import AccountKind
from echomind_lib.pb.echomind.public.v1 import audit_pb2 as pb


class AuditDefect(ProtoEnum):
    """What is wrong with the audit log."""

    UNSPECIFIED = "AUDIT_DEFECT_UNSPECIFIED", 0
    """Nothing is."""
    CHANGED = "AUDIT_DEFECT_CHANGED", 1
    """An entry was changed."""
    REMOVED = "AUDIT_DEFECT_REMOVED", 2
    """An entry was removed."""
    ADDED = "AUDIT_DEFECT_ADDED", 3
    """An entry was added among sealed ones."""
    SEAL_CHANGED = "AUDIT_DEFECT_SEAL_CHANGED", 4
    """A seal was changed, or does not continue the one before."""
    SEAL_MISSING = "AUDIT_DEFECT_SEAL_MISSING", 5
    """A seal is missing, or more is missing at the end than the given seal has covered."""


class AuditEntry(ProtoModel):
    """An entry of the audit log: an administrative change, a sign-in, a look at what belongs to others, or a refused call.
    Entries have no secrets, questions or answers.
    """

    __proto__: ClassVar = pb.AuditEntry
    __enums__: ClassVar = {
        "actor_kind": AccountKind,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; later entries have larger ones.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it happened.")
    actor_id: _t.Int32 = Field(
        default=0, description="ID of the account that did it; 0 for an unknown caller, and for EchoMind itself."
    )
    actor_name: str = Field(
        default="", description="User name of the account today; empty for none, and if the account was purged."
    )
    action: str = Field(
        default="", description="What was done: `UserService/UpdateUser`, `Sign-in/Password`, `SCIM/CreateUser`."
    )
    target: str = Field(default="", description="Path of what it was done to, as in the REST API: `users/12`.")
    detail: _t.Struct | None = Field(
        default=None, description="More about it, by action: changed fields, roles, the reason of a refusal."
    )
    denied: bool = Field(default=False, description="Whether it was refused.")
    count: _t.Int32 = Field(
        default=0,
        description="How many attempts it stands for: those with bad credentials of one address in one minute are one entry.",
    )
    address: str = Field(default="", description="IP address that it came from; empty if unknown.")
    credential: str = Field(
        default="",
        description="What the caller proved themselves with: `api-keys/12`, `web-sessions/5` or `identities/3`; empty if unknown.",
    )
    is_sealed: bool = Field(
        default=False,
        description="Whether it is sealed, so that its change or removal would be noticed. Entries are sealed within two minutes.",
    )
    actor_kind: AccountKind = Field(
        default=AccountKind.UNSPECIFIED,
        description="Kind of the account today; unspecified for none, and if it was purged.",
    )

    @classmethod
    def read_pb(cls, message: pb.AuditEntry) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "actor_id": message.actor_id,
            "actor_name": message.actor_name,
            "action": message.action,
            "target": message.target,
            "denied": message.denied,
            "count": message.count,
            "address": message.address,
            "credential": message.credential,
            "is_sealed": message.is_sealed,
            "actor_kind": AccountKind.numbers.get(message.actor_kind, message.actor_kind),
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("detail"):
            data["detail"] = _t.from_struct(message.detail)
        return data

    def to_pb(self) -> pb.AuditEntry:
        """Makes a protobuf message."""
        return pb.AuditEntry(
            id=self.id,
            creation_date=self.creation_date,
            actor_id=self.actor_id,
            actor_name=self.actor_name,
            action=self.action,
            target=self.target,
            detail=self.detail,
            denied=self.denied,
            count=self.count,
            address=self.address,
            credential=self.credential,
            is_sealed=self.is_sealed,
            actor_kind=self.actor_kind.number,
        )


class AuditSeal(ProtoModel):
    """A seal: the hash of some successive entries and of the seal before. Whoever knows one can tell later that nothing
    before it was changed.
    """

    __proto__: ClassVar = pb.AuditSeal

    number: _t.Int64 = Field(default=0, description="Its number; the first seal has 1.")
    hash: str = Field(default="", description="SHA-256 as 64 hexadecimal digits.")
    last_entry_id: _t.Int64 = Field(default=0, description="ID of its last entry.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was made.")

    @classmethod
    def read_pb(cls, message: pb.AuditSeal) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "hash": message.hash,
            "last_entry_id": message.last_entry_id,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.AuditSeal:
        """Makes a protobuf message."""
        return pb.AuditSeal(
            number=self.number,
            hash=self.hash,
            last_entry_id=self.last_entry_id,
            creation_date=self.creation_date,
        )
