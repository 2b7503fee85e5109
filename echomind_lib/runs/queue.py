"""The queue of runs: whose turn it is.

Runs wait in the status `queued`, and a worker with a free place claims the next one (`lease.claim`). A message on NATS
only wakes a worker; which run it gets is decided here:

- The person with the fewest runs at work comes first, so people who wait take turns however many runs each has queued.
- Then questions come before goals, which work by themselves (`runs.priority`), and then what has waited longest.
- A person has at most so many root runs at work (`agent.runs_per_person`). More of them wait, and are never refused.
  A run below another one never waits for its person's limit: its root was admitted, and waits for it.

Each root run at work holds one of its person's slots (`runs.slot`), and a unique index says that nobody has two runs in
one slot. So the limit holds with any number of workers, and nothing is locked.
"""

from uuid import UUID

import asyncpg

from echomind_lib.events.log import GIVEN, columns, complete, insert_events
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

SLOT_INDEX = "idx_runs_slot"
"""The unique index that two claims of one person's slot at once meet."""
_AT_WORK = "status IN ('running', 'waiting_for_children') AND slot IS NOT NULL"
"""A root run that waits for the runs below it is at work: they are."""
_NEXT_OF_EACH = 4
"""Runs of each class and person that a claim looks at: as many as processes that may claim at the same moment."""

# Each person who waits is found by one look into `idx_runs_active (status, user_id, priority, id)`, so a claim costs by
# the number of people who wait and not by the number of their runs. Classes with odd priorities are root runs.
_CANDIDATES = f"""
waiting (user_id) AS (
    (SELECT user_id FROM runs WHERE status = 'queued' ORDER BY user_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT runs.user_id FROM runs WHERE status = 'queued' AND runs.user_id > waiting.user_id
        ORDER BY runs.user_id LIMIT 1)
    FROM waiting WHERE waiting.user_id IS NOT NULL
),
candidate AS (
    SELECT queued.id, queued.priority, root.free_slot,
        active.runs + row_number() OVER (PARTITION BY waiting.user_id ORDER BY queued.priority, queued.id) AS turn
    FROM waiting
    JOIN users ON users.id = waiting.user_id AND users.is_active
    CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM runs WHERE status = 'running' AND runs.user_id = waiting.user_id
    ) AS active
    CROSS JOIN LATERAL (
        SELECT count(*) AS runs, COALESCE(min(place) FILTER (WHERE slot <> place), count(*) + 1) AS free_slot
        FROM (
            SELECT slot, row_number() OVER (ORDER BY slot) AS place
            FROM runs WHERE runs.user_id = waiting.user_id AND {_AT_WORK}
        ) AS held
    ) AS root
    CROSS JOIN LATERAL unnest(CASE WHEN root.runs < {{limit}} THEN '{{{{0,1,2,3}}}}'::int[] ELSE '{{{{0,2}}}}' END)
        AS class (priority)
    CROSS JOIN LATERAL (
        SELECT runs.id, runs.priority FROM runs
        WHERE status = 'queued' AND runs.user_id = waiting.user_id AND runs.priority = class.priority {{condition}}
        ORDER BY runs.id LIMIT {{most}}
    ) AS queued
)"""


def candidates(limit: str, *, most: int = _NEXT_OF_EACH, condition: str = "") -> str:
    """Returns recursive CTEs that end in `candidate (id, priority, free_slot, turn)`: the queued runs that may begin.

    Args:
        limit: The parameter with a person's limit, such as `$4`.
        most: Runs of each person and priority at most.
        condition: More SQL about `runs`, beginning with `AND`.
    """
    return _CANDIDATES.format(limit=limit, most=most, condition=condition)


def held_back(run: str) -> str:
    """Returns the SQL condition that the person of a run waits for one of their own runs to end."""
    return (
        f"EXISTS (SELECT FROM runs AS next WHERE next.status = 'queued' AND next.user_id = {run}.user_id "
        "AND next.held_back)"
    )


_HOLD_BACK = (
    f"""
WITH run AS (
    UPDATE runs SET held_back = TRUE
    WHERE id = $1 AND status = 'queued' AND parent_run_id IS NULL AND NOT held_back
        AND (SELECT count(*) FROM runs AS other WHERE other.user_id = runs.user_id AND other.{_AT_WORK}) >= $2
    RETURNING id, chat_session_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(3, 4, 5))
    + "SELECT run.chat_session_id, stored_events.* FROM run, stored_events"
)


async def hold_back(pool: asyncpg.Pool, run_id: UUID, limit: int) -> EventsStored | None:
    """Tells people that a run waits for its person's other runs.

    Args:
        pool: The database.
        run_id: The run.
        limit: Root runs of one person that may be at work.

    Returns:
        The event, for announcing; None when the run does not wait for that, or people know already.
    """
    text = f"Waiting for one of your {limit} running questions" if limit > 1 else "Waiting for your running question"
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text=text)
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    row = await pool.fetchrow(_HOLD_BACK, run_id, limit, *columns([event]))
    return None if row is None else complete([event], row, row["chat_session_id"], run_id)
