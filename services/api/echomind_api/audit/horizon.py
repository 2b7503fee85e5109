"""Up to where the audit log is complete while others write to it."""

import asyncio
from typing import Final

from sqlalchemy import BigInteger, Text, cast, column, func, literal, select, table, true
from sqlalchemy.dialects.postgresql import REGCLASS
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditEntry

_SEQUENCE: Final = "audit_log_id_seq"
_POLL_SECONDS: Final = 0.02
_LOCKS: Final = table(
    "pg_locks",
    column("virtualtransaction", Text),
    column("mode", Text),
    column("database"),
    column("relation"),
    column("granted"),
)
_DATABASES: Final = table("pg_database", column("oid"), column("datname"))
_OWN: Final = select(_DATABASES.c.oid).where(_DATABASES.c.datname == func.current_database()).scalar_subquery()
_WRITERS: Final = (
    select(_LOCKS.c.virtualtransaction)
    .where(_LOCKS.c.database == _OWN, _LOCKS.c.relation == cast(literal(AuditEntry.__tablename__), REGCLASS))
    .where(_LOCKS.c.mode == "RowExclusiveLock", _LOCKS.c.granted == true())
)
"""The transactions that have written to the log, or are about to."""
_LAST_ID: Final = select(
    func.coalesce(func.pg_sequence_last_value(cast(literal(_SEQUENCE), REGCLASS), type_=BigInteger), 0)
)


async def last_drawn_id(session: AsyncSession) -> int:
    """Returns the largest id that an entry may have by now, committed or not."""
    found: int = await session.scalar(_LAST_ID) or 0
    return found


async def complete_through(database: Database, wait: float) -> int | None:
    """Returns an id up to which no entry can be added any more.

    An entry gets its id before its transaction is committed, so that a larger id may be readable earlier. A
    transaction that has drawn an id holds a lock on the table until it ends: when those have ended that held one after
    the largest id was read, all up to that id is there, whoever writes meanwhile. Nobody is made to wait for this.

    Args:
        database: The database of the log.
        wait: Seconds to wait for transactions that write.

    Returns:
        The id; None if one of them has not ended in time.
    """
    try:
        async with asyncio.timeout(wait):
            # Each look is a transaction of its own, as statements of one transaction may share what they see.
            async with database.session() as session:
                last = await last_drawn_id(session)
            writers = await _writers(database)
            while writers:
                await asyncio.sleep(_POLL_SECONDS)
                writers &= await _writers(database)
    except TimeoutError:
        return None
    return last


async def _writers(database: Database) -> set[str]:
    async with database.session() as session:
        return set(await session.scalars(_WRITERS))
