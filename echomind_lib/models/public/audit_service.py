"""

Generated from echomind/public/v1/audit_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.audit import AuditDefect, AuditEntry, AuditSeal
from echomind_lib.pb.echomind.public.v1 import audit_service_pb2 as pb


class ListAuditEntriesRequest(ProtoModel):
    """Request of ListAuditEntries. All filters must match."""

    __proto__: ClassVar = pb.ListAuditEntriesRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    from_time: _t.Timestamp | None = Field(default=None, description="Only entries from this time on; empty means all.")
    to_time: _t.Timestamp | None = Field(default=None, description="Only entries before this time; empty means all.")
    actor_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only those of this account; 0 means all."
    )
    action: Annotated[str, Field(max_length=100)] = Field(
        default="",
        description="Only this action, or all of a service: `UserService/UpdateUser`, `UserService`; empty means all.",
    )
    target: Annotated[str, Field(max_length=255)] = Field(
        default="", description="Only this target, or all below a path: `users/12`, `users`; empty means all."
    )
    denied: bool | None = Field(
        default=None, description="Only what was refused, or only what was not; not set means both."
    )
    address: Annotated[str, Field(max_length=64)] = Field(
        default="", description="Only those from this IP address; empty means all."
    )
    credential: Annotated[str, Field(max_length=64)] = Field(
        default="", description="Only those with this credential, such as `api-keys/12`; empty means all."
    )
    oldest_first: bool = Field(default=False, description="Whether the oldest entries come first, for an export.")
    after_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Only entries after the one with this ID; 0 means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListAuditEntriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "actor_id": message.actor_id,
            "action": message.action,
            "target": message.target,
            "address": message.address,
            "credential": message.credential,
            "oldest_first": message.oldest_first,
            "after_id": message.after_id,
        }
        if message.HasField("from_time"):
            data["from_time"] = message.from_time.ToDatetime(UTC)
        if message.HasField("to_time"):
            data["to_time"] = message.to_time.ToDatetime(UTC)
        if message.HasField("denied"):
            data["denied"] = message.denied
        return data

    def to_pb(self) -> pb.ListAuditEntriesRequest:
        """Makes a protobuf message."""
        return pb.ListAuditEntriesRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            from_time=self.from_time,
            to_time=self.to_time,
            actor_id=self.actor_id,
            action=self.action,
            target=self.target,
            denied=self.denied,
            address=self.address,
            credential=self.credential,
            oldest_first=self.oldest_first,
            after_id=self.after_id,
        )


class ListAuditEntriesResponse(ProtoModel):
    """Response of ListAuditEntries."""

    __proto__: ClassVar = pb.ListAuditEntriesResponse

    entries: list[AuditEntry] = Field(default_factory=list, description="The entries.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")
    through_id: _t.Int64 = Field(
        default=0,
        description="With `oldest_first` and on the last page: all entries up to this ID are in the pages; otherwise 0.",
    )
    retention_days: _t.Int32 = Field(
        default=0, description="Days for which entries are kept, as their retention rule says; 0 means for ever."
    )

    @classmethod
    def read_pb(cls, message: pb.ListAuditEntriesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "entries": [AuditEntry.read_pb(each) for each in message.entries],
            "next_page_token": message.next_page_token,
            "through_id": message.through_id,
            "retention_days": message.retention_days,
        }
        return data

    def to_pb(self) -> pb.ListAuditEntriesResponse:
        """Makes a protobuf message."""
        return pb.ListAuditEntriesResponse(
            entries=[each.to_pb() for each in self.entries],
            next_page_token=self.next_page_token,
            through_id=self.through_id,
            retention_days=self.retention_days,
        )


class VerifyAuditLogRequest(ProtoModel):
    """Request of VerifyAuditLog."""

    __proto__: ClassVar = pb.VerifyAuditLogRequest

    first_seal: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Number of the first seal to verify; 0 means 1."
    )
    known_seal: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Number of a seal that is known from before; 0 means none."
    )
    known_hash: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = Field(
        default="", description="The hash of that seal: 64 hexadecimal digits."
    )

    @classmethod
    def read_pb(cls, message: pb.VerifyAuditLogRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "first_seal": message.first_seal,
            "known_seal": message.known_seal,
            "known_hash": message.known_hash,
        }
        return data

    def to_pb(self) -> pb.VerifyAuditLogRequest:
        """Makes a protobuf message."""
        return pb.VerifyAuditLogRequest(
            first_seal=self.first_seal,
            known_seal=self.known_seal,
            known_hash=self.known_hash,
        )


class VerifyAuditLogResponse(ProtoModel):
    """Response of VerifyAuditLog."""

    __proto__: ClassVar = pb.VerifyAuditLogResponse
    __enums__: ClassVar = {
        "defect": AuditDefect,
    }

    defect: AuditDefect = Field(
        default=AuditDefect.UNSPECIFIED, description="What is wrong; unset if nothing was found."
    )
    entry_id: _t.Int64 = Field(
        default=0, description="ID of the first entry that is wrong; 0 if none is, or a seal is."
    )
    seal: _t.Int64 = Field(
        default=0, description="Number of the seal of that entry, or of the seal that is wrong; 0 if nothing is."
    )
    verified_seals: _t.Int32 = Field(default=0, description="Seals that this call has verified.")
    verified_entries: _t.Int32 = Field(default=0, description="Entries that this call has verified.")
    expired_entries: _t.Int32 = Field(
        default=0, description="Entries under these seals that were removed because their time was over."
    )
    next_seal: _t.Int64 = Field(
        default=0, description="Number of the seal to continue with; 0 if all are verified or something is wrong."
    )
    head: AuditSeal | None = Field(
        default=None,
        description="The newest seal; keep it elsewhere, and pass it as the known one later. Unset if there is none.",
    )
    unsealed_entries: _t.Int64 = Field(default=0, description="Entries that are not sealed yet.")
    is_protected: bool = Field(
        default=False,
        description="Whether the log has an owner of its own in the database, so that the application's user has no right to change entries. Otherwise an administrator of the database server can give it one.",
    )
    early_expired_entries: _t.Int32 = Field(
        default=0,
        description="Of the expired entries those that are younger than their retention rule says now. They were removed too early, unless the rule was raised since.",
    )

    @classmethod
    def read_pb(cls, message: pb.VerifyAuditLogResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "defect": AuditDefect.numbers.get(message.defect, message.defect),
            "entry_id": message.entry_id,
            "seal": message.seal,
            "verified_seals": message.verified_seals,
            "verified_entries": message.verified_entries,
            "expired_entries": message.expired_entries,
            "next_seal": message.next_seal,
            "unsealed_entries": message.unsealed_entries,
            "is_protected": message.is_protected,
            "early_expired_entries": message.early_expired_entries,
        }
        if message.HasField("head"):
            data["head"] = AuditSeal.read_pb(message.head)
        return data

    def to_pb(self) -> pb.VerifyAuditLogResponse:
        """Makes a protobuf message."""
        return pb.VerifyAuditLogResponse(
            defect=self.defect.number,
            entry_id=self.entry_id,
            seal=self.seal,
            verified_seals=self.verified_seals,
            verified_entries=self.verified_entries,
            expired_entries=self.expired_entries,
            next_seal=self.next_seal,
            head=None if self.head is None else self.head.to_pb(),
            unsealed_entries=self.unsealed_entries,
            is_protected=self.is_protected,
            early_expired_entries=self.early_expired_entries,
        )


class AuditService(ABC):
    """The audit log: who has changed, shared, exported or been refused what, and from where. Nobody can write, change or
    remove entries; they are removed when their time is over. Needs `superadmin`. Reading it is audited, the same once a
    minute.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["AuditService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListAuditEntries", "list_audit_entries", ListAuditEntriesRequest, ListAuditEntriesResponse),
        Method("VerifyAuditLog", "verify_audit_log", VerifyAuditLogRequest, VerifyAuditLogResponse),
    )

    @abstractmethod
    async def list_audit_entries(self, request: ListAuditEntriesRequest, call: CallContext) -> ListAuditEntriesResponse:
        """Lists entries, newest first. Needs `superadmin`; audited.

        With `oldest_first`, pages are complete and stable while entries are written: none that belongs before
        `through_id` comes later, so that an export continues with `after_id` where it ended.
        """

    @abstractmethod
    async def verify_audit_log(self, request: VerifyAuditLogRequest, call: CallContext) -> VerifyAuditLogResponse:
        """Verifies seals and the entries under them, some at a time: call it again with `next_seal` until that is 0. Needs
        `superadmin`; audited.
        """
