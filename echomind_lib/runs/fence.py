"""A worker's lease of a run, and the fence around its writes.

Claiming a run increments its `attempt`, and every later write of its worker begins with an update that requires that
attempt and the status `running`. A worker that lost its lease (its process was frozen, for example) writes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, Exists, SQLColumnExpression, bindparam, literal, select, update

from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import NO_MEMBER, StoredRow, given_event, given_events, stored_events
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class RunLease:
    """A run that this worker has claimed, with everything needed to execute it."""

    run: RunRecord

    @property
    def run_id(self) -> UUID:
        """The run."""
        return self.run.id

    @property
    def session_id(self) -> int:
        """Returns its session."""
        return self.run.session.id

    @property
    def attempt(self) -> int:
        """Returns the attempt that every write requires to be the run's current one."""
        return self.run.attempt


class LeaseLostError(Exception):
    """Another worker has claimed the run, or it has ended. Stop executing it; further writes are rejected."""


def fenced(*returning: SQLColumnExpression[Any], where: Sequence[ColumnElement[bool]] = (), **changes: Any) -> CTE:
    """Returns the CTE `origin (run_id, chat_session_id)` with one row, or none if the lease is lost.

    Args:
        returning: Further values to return, of the updated `Run`.
        where: Further conditions.
        changes: Columns of the run to update; may be empty.
    """
    return (
        update(Run)
        .where(Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"), Run.status == "running", *where)
        .values(**changes or {"attempt": Run.attempt})
        .returning(Run.id.label("run_id"), Run.chat_session_id, *returning)
        .cte("origin")
    )


def fenced_events(run: CTE, *, single: bool = False) -> CTE:
    """Returns `stored_events` of a `fenced` run, for `append_fenced`; `single` if it always appends exactly one."""
    return stored_events(run, given_event() if single else given_events(), member=NO_MEMBER, single=single)


def exists_in(rows: CTE) -> Exists:
    """Returns the condition that a CTE has a row; it makes a statement wait for the CTE's changes."""
    return select(literal(1)).select_from(rows).exists()


async def append_fenced(
    log: EventLog | LogTransaction,
    query: Query[StoredRow],
    lease: RunLease,
    events: Sequence[SessionEvent],
    /,
    *,
    fill: Callable[[StoredRow], None] | None = None,
    **values: Any,
) -> StoredRow:
    """Executes a statement over `fenced` that ends in `fenced_events`, publishes the events and returns its row.

    Raises:
        LeaseLostError: The worker no longer holds the run; nothing is written.
    """
    for event in events:
        event.member = lease.run.member_name
    row = await log.append(query, events, fill=fill, run_id=lease.run_id, attempt=lease.attempt, **values)
    if row is None:
        raise LeaseLostError
    return row
