"""Verification of the audit log against its seals."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.audit.chain import BEFORE_THE_FIRST, DIGEST_BYTES, SealedEntry, content_hash, seal_hash
from echomind_api.audit.sealing import read_entries
from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditEntry, AuditSeal
from echomind_lib.models.public import AuditDefect

_SEALS: Final = 50
"""Seals that one call verifies, with up to 1,000 entries each."""
_CLOCKS: Final = timedelta(hours=1)
"""By how much the clocks of replicas may differ."""


@dataclass(slots=True)
class Verified:
    """What some seals, and the entries under them, have shown."""

    defect: AuditDefect = AuditDefect.UNSPECIFIED
    entry_id: int = 0
    """The first entry that is wrong; 0 if none is, or a seal is."""
    seal: int = 0
    """The seal that is wrong, or that of the entry; 0 if nothing is."""
    seals: int = 0
    entries: int = 0
    expired: int = 0
    expired_early: int = 0
    """Of the expired entries those that should still be there."""
    next_seal: int = 0
    """Where to continue; 0 at the end, and if something is wrong."""


@dataclass(frozen=True, slots=True)
class KnownSeal:
    """A seal that somebody has kept outside of the database."""

    number: int
    hash: bytes = field(repr=False)


@asynccontextmanager
async def snapshot(database: Database) -> AsyncIterator[AsyncSession]:
    """Opens a transaction that only reads, and sees the log as it was at its first statement.

    Otherwise entries whose time ends between two statements would look like removed ones.
    """
    async with database.session() as session:
        await session.connection(
            execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
        )
        yield session


async def verify(session: AsyncSession, first: int, known: KnownSeal | None, days: int) -> Verified:
    """Verifies some seals and the entries under them.

    Args:
        session: A `snapshot`.
        first: Number of the first seal.
        known: A seal that must be there as it was.
        days: Days for which entries are kept; 0 keeps them forever.
    """
    kept_since = datetime.now(UTC) - timedelta(days=days) + _CLOCKS if days else None
    if known is not None and (wrong := await _compare(session, known)):
        return wrong
    result = Verified()
    previous = await session.get(AuditSeal, first - 1) if first > 1 else None
    if first > 1 and previous is None:
        return Verified(AuditDefect.SEAL_MISSING, seal=first - 1)
    query = select(AuditSeal).where(AuditSeal.number >= first).order_by(AuditSeal.number).limit(_SEALS + 1)
    seals = (await session.scalars(query)).all()
    for number, seal in enumerate(seals[:_SEALS], first):
        if seal.number != number:
            return Verified(AuditDefect.SEAL_MISSING, seal=number)
        if not _is_whole(seal, previous):
            return Verified(AuditDefect.SEAL_CHANGED, seal=number)
        if wrong := await _check_entries(session, seal, previous):
            return wrong
        if seal.ids is None:
            result.expired += seal.count
            result.expired_early += seal.count if kept_since is None or seal.last_entry_at > kept_since else 0
        else:
            result.entries += seal.count
        result.seals += 1
        previous = seal
    result.next_seal = seals[_SEALS].number if len(seals) > _SEALS else 0
    return result


async def unsealed_entries(session: AsyncSession, head: AuditSeal | None) -> int:
    """Returns how many entries are not sealed yet."""
    query = select(func.count()).select_from(AuditEntry).where(AuditEntry.id > (head.last_id if head else 0))
    return await session.scalar(query) or 0


async def _compare(session: AsyncSession, known: KnownSeal) -> Verified | None:
    found = await session.get(AuditSeal, known.number)
    if found is None:
        return Verified(AuditDefect.SEAL_MISSING, seal=known.number)
    return None if found.hash == known.hash else Verified(AuditDefect.SEAL_CHANGED, seal=known.number)


def _is_whole(seal: AuditSeal, previous: AuditSeal | None) -> bool:
    """Returns whether a seal is what its own hash says, and continues the one before."""
    before, after = (previous.hash, previous.last_id) if previous else (BEFORE_THE_FIRST, 0)
    if seal.previous_hash != before or seal.first_id <= after:
        return False
    if seal.ids is None and previous is not None and previous.ids is not None:
        return False  # times end in order
    if seal.hash != seal_hash(
        seal.number, seal.first_id, seal.last_id, seal.count, seal.content_hash, seal.previous_hash
    ):
        return False
    return seal.ids is None or seal.content_hash == content_hash(seal.ids, seal.digests or b"")


async def _check_entries(session: AsyncSession, seal: AuditSeal, previous: AuditSeal | None) -> Verified | None:
    """Returns the first entry that is not as it was sealed, or is there although its time is over; None if all are."""
    after = previous.last_id if previous else 0
    # One more than sealed is enough to find one that was added.
    found = await read_entries(session, after, seal.last_id, seal.count + 1)
    entries = {entry.id: entry for entry in found}
    ids, digests = seal.ids or [], seal.digests or b""
    sealed = {id_: digests[n * DIGEST_BYTES : (n + 1) * DIGEST_BYTES] for n, id_ in enumerate(ids)}
    for id_ in sorted({*sealed, *entries}):
        if (defect := _defect(entries.get(id_), sealed.get(id_))) is not AuditDefect.UNSPECIFIED:
            return Verified(defect, entry_id=id_, seal=seal.number)
    return None


def _defect(entry: SealedEntry | None, digest: bytes | None) -> AuditDefect:
    if entry is None:
        return AuditDefect.REMOVED
    if digest is None:
        return AuditDefect.ADDED
    return AuditDefect.UNSPECIFIED if entry.digest() == digest else AuditDefect.CHANGED
