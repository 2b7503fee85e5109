"""Seals of the audit log, made in the background."""

import asyncio
from datetime import UTC, datetime
from typing import Final

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.audit.chain import BEFORE_THE_FIRST, SealedEntry, content_hash, seal_hash, sealed_entries
from echomind_api.audit.horizon import complete_through, last_drawn_id
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models import AuditEntry, AuditSeal

SEAL_SECONDS: Final = 60.0
"""Time between seals."""
_ENTRIES: Final = 1_000
"""Most entries under one seal."""
_WAIT_SECONDS: Final = 5.0
_LOCK: Final = 0x7365616C
"""Advisory lock of the replica that seals: "seal"."""

log = structlog.get_logger(__name__)


class AuditSeals:
    """Seals entries once a minute.

    When there is nothing to seal, this is one statement a minute. Nobody who writes to the log waits for it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def run(self) -> None:
        """Seals until it is cancelled."""
        while True:
            try:
                await self.seal()
            except (*DATABASE_FAILURES, DBAPIError) as error:
                log.warning("the audit log was not sealed", error=repr(error))
            await asyncio.sleep(SEAL_SECONDS)

    async def seal(self) -> int:
        """Seals the entries that are complete by now, and returns their number.

        Does nothing while another replica does it, or while a transaction that has written stays open.
        """
        async with self._database.session() as session:
            last = await session.scalar(select(func.max(AuditSeal.last_id))) or 0
            if await last_drawn_id(session) <= last:
                return 0
        through = await complete_through(self._database, _WAIT_SECONDS)
        if through is None:
            return 0
        total = 0
        while sealed := await self._seal_some(through):
            total += sealed
        return total

    async def _seal_some(self, through: int) -> int:
        async with self._database.session() as session:
            if not await session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK))):
                return 0
            head = await session.scalar(select(AuditSeal).order_by(AuditSeal.number.desc()).limit(1))
            after = head.last_id if head else 0
            entries = await read_entries(session, after, through, _ENTRIES)
            if not entries:
                return 0
            seal = seal_of(entries, head)
            session.add(seal)
        if head is None or head.creation_date.date() < datetime.now(UTC).date():
            # A copy outside of the database, which shows later whether the end of the log was cut off.
            log.info("the audit log is sealed", seal=seal.number, hash=seal.hash.hex())
        return len(entries)


async def read_entries(session: AsyncSession, after: int, through: int, limit: int) -> list[SealedEntry]:
    """Returns entries as they are hashed, in ascending order.

    Args:
        session: A transaction.
        after: The id that they come after.
        through: The largest id.
        limit: Maximum number.
    """
    query = sealed_entries().where(AuditEntry.id > after, AuditEntry.id <= through).limit(limit)
    return [SealedEntry(**row) for row in (await session.execute(query)).mappings()]


def seal_of(entries: list[SealedEntry], head: AuditSeal | None) -> AuditSeal:
    """Returns the seal of entries that follow those of the newest seal."""
    ids = [entry.id for entry in entries]
    digests = b"".join(entry.digest() for entry in entries)
    number, previous = (head.number + 1, head.hash) if head else (1, BEFORE_THE_FIRST)
    content = content_hash(ids, digests)
    return AuditSeal(
        number=number,
        first_id=ids[0],
        last_id=ids[-1],
        count=len(ids),
        last_entry_at=max(entry.creation_date for entry in entries),
        ids=ids,
        digests=digests,
        content_hash=content,
        previous_hash=previous,
        hash=seal_hash(number, ids[0], ids[-1], len(ids), content, previous),
    )
