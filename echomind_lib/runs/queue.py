"""The queue of runs, and the order in which they are claimed.

Runs wait in the status `queued`, and a worker with a free slot claims the next one (`lease.claim`). A message on NATS
only wakes a worker; which run it claims is decided here:

- The person with the fewest active runs comes first, so people take turns however many runs each of them has queued.
- Next, questions come before goals, which are autonomous (`runs.priority`); then the oldest run comes first. A goal
  that has waited for five minutes counts as a question, so that goals do not starve.
- The order does not matter while no more runs wait than a worker may start at once: it claims the one that it was woken
  for, with a shorter statement.
- A person has a maximum number of active root runs (`agent.runs_per_person`). Further runs wait; none is refused. A
  sub-run never waits for this limit: its root run was admitted, and waits for it.

Each active root run holds one of its person's slots (`runs.slot`), and a unique index allows one run per slot. So the
limit holds with any number of workers, without locks.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    CTE,
    ColumnElement,
    Double,
    Integer,
    Select,
    and_,
    bindparam,
    column,
    exists,
    func,
    literal_column,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.orm import aliased

from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Command, Query
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import NO_MEMBER, StoredIds, given_events, stored_events
from echomind_lib.messaging import RUNS_REQUESTED
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import RunRequested
from echomind_lib.runs.states import status_event
from echomind_lib.telemetry import spans

SLOT_INDEX = "idx_runs_slot"
"""The unique index that is violated when two claims choose the same slot of a person."""
_AT_WORK = "status IN ('running', 'waiting_for_children') AND slot IS NOT NULL"
"""A root run that waits for its sub-runs is active, as they are."""
_MAX_CANDIDATES = 16
"""Candidates among which a claim finds an unlocked run; limits the number of concurrent claims."""

# One lookup in `idx_runs_active (status, user_id, priority, id)` finds the next person who waits and their first run,
# so the cost of a claim grows with the number of people who wait, not with the number of their runs. Further runs are
# read only for the people whose turn it is: theirs are the best. Even priorities are sub-runs, which need no slot.
_CANDIDATES = f"""
waiting (user_id, priority, id) AS (
    (SELECT user_id, priority, id FROM runs WHERE status = 'queued' ORDER BY user_id, priority, id LIMIT 1)
    UNION ALL
    SELECT following.* FROM waiting CROSS JOIN LATERAL (
        SELECT user_id, priority, id FROM runs WHERE status = 'queued' AND runs.user_id > waiting.user_id
        ORDER BY user_id, priority, id LIMIT 1
    ) AS following
),
at_work AS MATERIALIZED (
    SELECT user_id, count(*) FILTER (WHERE status = 'running') AS runs, count(slot) AS roots
    FROM runs WHERE status IN ('running', 'waiting_for_children') GROUP BY user_id
),
person AS MATERIALIZED (
    SELECT waiting.user_id, COALESCE(at_work.runs, 0) AS runs, COALESCE(at_work.roots, 0) < :limit AS has_slot
    FROM waiting
    JOIN users ON users.id = waiting.user_id AND users.is_active
    LEFT JOIN at_work ON at_work.user_id = waiting.user_id
    CROSS JOIN LATERAL (
        SELECT waiting.priority, waiting.id WHERE COALESCE(at_work.roots, 0) < :limit
        UNION ALL
        (SELECT below.* FROM (VALUES (0), (2)) AS class (priority) CROSS JOIN LATERAL (
            SELECT runs.priority, runs.id FROM runs
            WHERE at_work.roots >= :limit AND status = 'queued' AND runs.user_id = waiting.user_id
                AND runs.priority = class.priority
            ORDER BY runs.id LIMIT 1
        ) AS below ORDER BY below.priority LIMIT 1)
    ) AS first
    ORDER BY runs, first.priority, first.id LIMIT {{max_runs}}
),
candidate AS (
    SELECT queued.id, queued.priority, slot.free_slot,
        person.runs + row_number() OVER (PARTITION BY person.user_id ORDER BY queued.priority, queued.id) AS turn
    FROM person
    CROSS JOIN LATERAL (
        SELECT COALESCE(min(number) FILTER (WHERE slot <> number), count(*) + 1) AS free_slot
        FROM (
            SELECT slot, row_number() OVER (ORDER BY slot) AS number
            FROM runs WHERE runs.user_id = person.user_id AND {_AT_WORK}
        ) AS held
    ) AS slot
    CROSS JOIN LATERAL unnest(CASE WHEN person.has_slot THEN '{{{{0,1,2,3}}}}'::int[] ELSE '{{{{0,2}}}}' END)
        AS class (priority)
    CROSS JOIN LATERAL (
        SELECT runs.id, runs.priority FROM runs
        WHERE status = 'queued' AND runs.user_id = person.user_id AND runs.priority = class.priority {{condition}}
        ORDER BY runs.id LIMIT {{max_runs}}
    ) AS queued
    ORDER BY turn, priority, id LIMIT {{max_runs}}
)"""


def at_work(run: Any = Run) -> ColumnElement[bool]:
    """Returns the condition that a run holds a slot of its person.

    Args:
        run: `Run` or an alias of it.
    """
    return and_(run.status.in_(["running", "waiting_for_children"]), run.slot.is_not(None))


def candidate_runs(*, max_runs: int = _MAX_CANDIDATES, condition: str = "") -> CTE:
    """Returns the queued runs that may start: `id`, `priority`, `free_slot` and `turn`, by which they are ordered.

    The statement's parameter `limit` is the maximum number of active root runs of one person.

    Args:
        max_runs: Maximum number of runs to select, in order.
        condition: A further SQL condition on `runs`, beginning with `AND`.
    """
    ctes = _CANDIDATES.format(max_runs=max_runs, condition=condition)
    statement = text(f"WITH RECURSIVE {ctes} SELECT id, priority, free_slot, turn FROM candidate")
    columns = Run.id, Run.priority, Run.slot.label("free_slot"), column("turn", Integer)
    return statement.columns(*columns).cte("candidate")


def changed_meanwhile() -> ColumnElement[bool]:
    """Returns, for RETURNING of an update of one `Run`, whether another transaction wrote the run since it began.

    It compares the row that the statement saw when it began with the one that it has updated. So a statement learns
    of a write that it waited for.
    """
    seen = aliased(Run, name="seen")
    ctid: Select[Any] = select(literal_column("seen.ctid")).select_from(seen).where(seen.id == Run.id).correlate(Run)
    return (literal_column("old.ctid") != ctid.scalar_subquery()).label("changed_meanwhile")


def person_waits(run: CTE) -> ColumnElement[bool]:
    """Returns the condition that a run of a person waits, or may wait, for one of theirs (see `hold_back`).

    Args:
        run: The updated run, with its `user_id` and `changed_meanwhile`.
    """
    waiting = aliased(Run)
    is_held_back = waiting.status == "queued", waiting.user_id == run.c.user_id, waiting.held_back
    return or_(run.c.changed_meanwhile, exists(select(waiting.id).where(*is_held_back)))


GOAL_PATIENCE_SECONDS = 300.0
"""How long goals and their sub-runs wait behind questions."""
_PROMOTE: Final = Command(
    update(Run)
    .where(
        Run.status == "queued",
        Run.priority >= 2,
        func.coalesce(Run.last_update, Run.creation_date)
        < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, bindparam("seconds", type_=Double)),
    )
    .values(priority=Run.priority - 2)
)


async def wake_worker(log: EventLog, run_id: UUID | None = None) -> None:
    """Wakes a worker for a run that may be claimed; a sweep repairs a lost message.

    Args:
        log: Event log of the run.
        run_id: The run that was queued; None for the next in turn, for example when a slot was freed.
    """
    if spans.recorder is not None:
        spans.sending(RUNS_REQUESTED)
    await log.bus.publish(RUNS_REQUESTED, RunRequested(run_id=str(run_id or "")))


async def promote_goals(pool: asyncpg.Pool) -> None:
    """Raises goals that have waited too long, and their sub-runs, to the priority of questions."""
    await _PROMOTE.execute(pool, seconds=GOAL_PATIENCE_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeldBack(StoredIds):
    """The row of a run that waits; `event_ids` is None if its person has a free slot."""


def _hold_back() -> Query[_HeldBack]:
    other, written = aliased(Run, name="other"), aliased(Run, name="written")
    waiting = (
        select(Run.id.label("run_id"), Run.chat_session_id, Run.user_id)
        .join(User, and_(User.id == Run.user_id, User.is_active))
        .where(Run.id == bindparam("run_id"), Run.status == "queued", Run.parent_run_id.is_(None), ~Run.held_back)
        .cte("waiting")
    )
    # In one order, as others may do the same for another run of the person.
    locked = (
        select(other.id)
        .join(waiting, other.user_id == waiting.c.user_id)
        .where(at_work(other))
        .order_by(other.id)
        .with_for_update(key_share=True, of=other)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    active = (
        update(written)
        .where(written.id == locked.c.id)
        .values(attempt=written.attempt)
        .returning(written.id)
        .cte("active")
    )
    run = (
        update(Run)
        .where(
            Run.id == waiting.c.run_id,
            Run.status == "queued",
            select(func.count()).select_from(active).scalar_subquery() >= bindparam("limit"),
        )
        .values(held_back=True)
        .returning(Run.id.label("run_id"), Run.chat_session_id)
        .cte("origin")
    )
    stored = stored_events(run, given_events(), member=NO_MEMBER)
    ids = stored.c.event_ids, stored.c.event_time, stored.c.previous_event_id, stored.c.member
    return Query(
        select(waiting.c.chat_session_id, waiting.c.run_id, *ids).select_from(waiting.outerjoin(stored, true())),
        _HeldBack,
    )


_HOLD_BACK: Final = Query.deferred(_hold_back)


async def hold_back(log: EventLog, run_id: UUID, limit: int) -> bool | None:
    """Records that a run is held back by its user's other runs, and publishes it.

    It also writes to the runs at work, unchanged. So either their ends come first, and this run is not held back, or
    they come afterwards and wake a worker for it: also an end that has begun already, see `changed_meanwhile`.

    Args:
        log: The event log.
        run_id: The run.
        limit: Maximum number of active root runs of one person.

    Returns:
        Whether it was recorded now; False if the person has a free slot, and None if the run does not wait for one, or
        it was recorded before.
    """
    line = f"Waiting for one of your {limit} running questions" if limit > 1 else "Waiting for your running question"
    row = await log.append(_HOLD_BACK, [status_event("queued", line)], run_id=run_id, limit=limit)
    return None if row is None else row.event_ids is not None
