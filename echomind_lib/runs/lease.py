"""A run in a worker's hands: claimed, handed on, given back. Each function is one statement, so one transaction.

Fencing: claiming a run raises its `attempt`, and every later write begins with an update that requires that attempt and
the state `running`. A worker that lost its run (it was paused past its lease, say) writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
from sqlalchemy import CTE, bindparam, select, update

from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import StoredIds, columns, event_values, given_events, stored_events
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.claim import CLAIM
from echomind_lib.runs.queue import SLOT_INDEX, held_back
from echomind_lib.runs.record import RunRecord


class LeaseLostError(Exception):
    """The run belongs to another worker now, or has ended. Stop working on it; nothing more of this worker's counts."""


class ControlPendingError(Exception):
    """A person has asked for something that comes first.

    `control` is `cancel` or `pause`, or `resume` when they have taken back the pause for which the run is left.
    """

    def __init__(self, control: str) -> None:
        super().__init__(control)
        self.control = control


class Released(NamedTuple):
    """What giving a run back, or ending it, left behind."""

    stored: EventsStored
    """The events, for announcing."""
    frees_slot: bool
    """Whether another run of the same person waited for it: then a worker must be woken."""


@dataclass(frozen=True, slots=True)
class RunLease:
    """A run that this worker has claimed, with all that it needs to begin."""

    run: RunRecord
    stored: EventsStored
    """The `running` event, for announcing."""

    @property
    def run_id(self) -> UUID:
        """The run."""
        return self.run.id

    @property
    def session_id(self) -> int:
        """Its session."""
        return self.run.session.id

    @property
    def attempt(self) -> int:
        """What every write requires: no other attempt has begun since."""
        return self.run.attempt


_CLAIM_TRIES = 20
"""How often two processes may choose the same slot of a person at the same moment."""
RUNS_PER_PERSON = 8
"""Root runs of one person that are at work at once, where nobody says otherwise."""


async def claim(
    pool: asyncpg.Pool, run_id: UUID | None, worker_id: UUID, limit: int = RUNS_PER_PERSON
) -> RunLease | None:
    """Claims a run whose worker is dead, or the queued run whose turn it is (see `queue`).

    Args:
        pool: The database.
        run_id: The run that a message names; None for whichever is next.
        worker_id: Who claims.
        limit: Root runs of one person that may be at work.

    Returns:
        A run, perhaps another one than `run_id`; None when none may begin now.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Working")
    event.status.status = run_pb2.RUN_STATUS_RUNNING
    for _ in range(_CLAIM_TRIES):
        try:
            row = await CLAIM.fetch_one(pool, run_id=run_id, worker_id=worker_id, limit=limit, **event_values([event]))
        except asyncpg.UniqueViolationError as error:
            if error.constraint_name != SLOT_INDEX:
                raise
            continue  # another process gave the person's slot away at this moment
        if row is None:
            return None
        event.status.attempt = row.attempt
        return RunLease(row.record(), complete([event], row, row.chat_session_id, row.run_id))
    return None


_LEAVE = (
    """
WITH run AS (
    UPDATE runs
    SET status = $3, worker_id = NULL, control_requested = NULL, pending_input = $4,
        seconds_spent = GREATEST(seconds_spent, $9)
    WHERE id = $1 AND attempt = $2 AND status = 'running'
        AND control_requested IS NOT DISTINCT FROM CASE WHEN $3 = 'paused' THEN 'pause' END
    RETURNING id, chat_session_id, user_id
),
message AS (UPDATE chat_messages SET content = $5 FROM run WHERE chat_messages.run_id = run.id AND role = 'assistant'),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(6, 7, 8))
    + f"SELECT {held_back('run')} AS frees_slot, stored_events.* FROM run, stored_events"
)


_CONTROL = """
SELECT COALESCE(control_requested, 'resume') FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running'
"""


async def release(
    pool: asyncpg.Pool,
    taken: RunLease,
    status: RunStatus,
    content: str,
    seconds: float,
    events: Sequence[SessionEvent],
    pending_input: dict[str, Any] | None = None,
) -> Released:
    """Gives a run back, to go on later on any worker.

    Args:
        pool: The database.
        taken: The run.
        status: `paused` when a person asked for it, `waiting_for_input` or `waiting_for_children`; `queued` when they
            have taken the pause back at that moment.
        content: The text so far.
        seconds: Seconds worked so far.
        events: What people are told.
        pending_input: What is asked of a person, as ProtoJSON of `PendingInput`.

    Raises:
        ControlPendingError: A person asked for something else meanwhile, which must be done instead.
        LeaseLostError: The run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _LEAVE, taken.run_id, taken.attempt, status, pending_input, content, *columns(events), seconds
    )
    if row is None:
        control = await pool.fetchval(_CONTROL, taken.run_id, taken.attempt)
        raise LeaseLostError if control is None else ControlPendingError(control)
    stored = complete(events, row, taken.session_id, taken.run_id)
    return Released(stored, row["frees_slot"] and status != "waiting_for_children")


def _held(**changes: Any) -> CTE:
    """The CTE `origin (run_id, chat_session_id)`: changes the run that the worker has at this attempt; else no row."""
    return (
        update(Run)
        .where(Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"), Run.status == "running")
        .values(**changes)
        .returning(Run.id.label("run_id"), Run.chat_session_id)
        .cte("origin")
    )


def _with_events(origin: CTE) -> Query[StoredIds]:
    return Query(select(stored_events(origin, given_events())), StoredIds)


_RETRY = _with_events(_held(status="queued", worker_id=None, retry_count=Run.retry_count + 1))
_RECORD_EVENTS = _with_events(_held(attempt=Run.attempt))


async def retry(pool: asyncpg.Pool, taken: RunLease, text: str) -> EventsStored:
    """Queues a run for another attempt, after a failure that may pass. `text` tells people why.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_WARNING, text=text)
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    event.status.attempt = taken.attempt
    return await _store(_RETRY, pool, taken, [event])


async def record_events(pool: asyncpg.Pool, taken: RunLease, events: Sequence[SessionEvent]) -> EventsStored:
    """Stores events alone.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    return await _store(_RECORD_EVENTS, pool, taken, events)


async def _store(
    query: Query[StoredIds], pool: asyncpg.Pool, taken: RunLease, events: Sequence[SessionEvent]
) -> EventsStored:
    row = await query.fetch_one(pool, run_id=taken.run_id, attempt=taken.attempt, **event_values(events))
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)
