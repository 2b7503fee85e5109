"""The hashes of the audit log: one for each entry, one for each seal, which continues the seal before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Select, Text, cast, select

from echomind_lib.db.models import AuditEntry
from echomind_lib.db.statements import columns

DIGEST_BYTES: Final = 32
BEFORE_THE_FIRST: Final = bytes(DIGEST_BYTES)
"""What the first seal continues."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedEntry:
    """An entry as it is hashed."""

    id: int
    actor_id: int | None
    action: str
    target: str
    detail: str
    """As PostgreSQL writes it, which is the same for the same value."""
    denied: bool
    count: int
    creation_date: datetime
    address: str
    credential: str

    def digest(self) -> bytes:
        """Returns its SHA-256: of all fields, each with its length before it, so that none can pass for another."""
        microseconds = (self.creation_date - _EPOCH) // timedelta(microseconds=1)
        fields = (
            self.id,
            "" if self.actor_id is None else self.actor_id,
            self.action,
            self.target,
            self.detail,
            int(self.denied),
            self.count,
            microseconds,
            self.address,
            self.credential,
        )
        hashed = sha256()
        for field in fields:
            data = str(field).encode()
            hashed.update(len(data).to_bytes(8))
            hashed.update(data)
        return hashed.digest()


def sealed_entries() -> Select[*tuple[Any, ...]]:
    """Returns the statement that reads entries as `SealedEntry` has them, in ascending order."""
    detail = cast(AuditEntry.detail, Text)
    return select(*columns(SealedEntry, AuditEntry, detail=detail)).order_by(AuditEntry.id)


def content_hash(ids: Sequence[int], digests: bytes) -> bytes:
    """Returns the hash of a seal's entries.

    Args:
        ids: Their ids, ascending.
        digests: Their digests in the same order, `DIGEST_BYTES` each.
    """
    hashed = sha256(len(ids).to_bytes(8))
    for id_ in ids:
        hashed.update(id_.to_bytes(8))
    hashed.update(digests)
    return hashed.digest()


def seal_hash(number: int, first_id: int, last_id: int, count: int, content: bytes, previous: bytes) -> bytes:
    """Returns the hash of a seal.

    Args:
        number: Its number.
        first_id: ID of its first entry.
        last_id: ID of its last entry.
        count: Its entries.
        content: Their `content_hash`.
        previous: The hash of the seal before; for the first `BEFORE_THE_FIRST`.
    """
    hashed = sha256(previous)
    for value in (number, first_id, last_id, count):
        hashed.update(value.to_bytes(8))
    hashed.update(content)
    return hashed.digest()
