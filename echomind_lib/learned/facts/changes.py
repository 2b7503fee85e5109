"""Changes of facts whose vectors have to be updated: rows written by a trigger in the transaction of the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Text, bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP, insert

from echomind_lib.db.models.facts import FactChange
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.jobs import INDEX_FACTS, request
from echomind_lib.learned.facts.kinds import ALL_FACTS, FactKind
from echomind_lib.messaging import Bus


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact whose row is newer than its vector."""

    kind: FactKind
    fact_id: int
    changed_at: datetime


_OLDEST: Final = Query(
    select(FactChange.kind, FactChange.fact_id, FactChange.changed_at)
    .order_by(FactChange.changed_at)
    .limit(bindparam("limit")),
    Change,
)
_given = (
    func.unnest(
        bindparam("kinds", type_=ARRAY(Text)),
        bindparam("fact_ids", type_=ARRAY(BigInteger)),
        bindparam("times", type_=ARRAY(TIMESTAMP(timezone=True))),
    )
    .table_valued("kind", "fact_id", "changed_at")
    .render_derived(name="given")
)
# A fact that was changed again meanwhile keeps its row.
_MARK_INDEXED: Final = Command(
    delete(FactChange).where(
        FactChange.kind == _given.c.kind,
        FactChange.fact_id == _given.c.fact_id,
        FactChange.changed_at == _given.c.changed_at,
    )
)
_NOTE_ALL: Final = Command(
    insert(FactChange)
    .from_select(["kind", "fact_id"], select(ALL_FACTS.c.kind, ALL_FACTS.c.id))
    # A change that is being indexed counts for the collection of before.
    .on_conflict_do_update(
        index_elements=[FactChange.kind, FactChange.fact_id], set_={"changed_at": func.clock_timestamp()}
    )
)


async def oldest_changes(connection: Connection, limit: int) -> list[Change]:
    """Returns the oldest changes."""
    return await _OLDEST.fetch_all(connection, limit=limit)


async def mark_indexed(connection: Connection, changes: Sequence[Change]) -> None:
    """Records that the vectors of these changes are up to date."""
    await _MARK_INDEXED.execute(
        connection,
        kinds=[change.kind for change in changes],
        fact_ids=[change.fact_id for change in changes],
        times=[change.changed_at for change in changes],
    )


async def note_all(connection: Connection) -> None:
    """Records a change of every fact, for a new collection."""
    await _NOTE_ALL.execute(connection)


async def index_soon(pool: asyncpg.Pool, bus: Bus) -> None:
    """Wakes the indexing job after facts were changed; otherwise it runs within a minute."""
    await request(pool, bus, INDEX_FACTS)
