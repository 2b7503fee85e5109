"""Repairs by the workers' sweep: lost wake-ups, runs of dead workers, and run trees that are partly ended."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, Double, Integer, Uuid, any_, bindparam, case, exists, func, select, union_all, update

from echomind_lib.db.models.runs import Run
from echomind_lib.db.models.work import Worker
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES, RunControl
from echomind_lib.events.log import EventLog
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.parents import queue_settled
from echomind_lib.runs.queue import candidate_runs, wake_worker
from echomind_lib.runs.sub_runs import orphans

SWEEP_LIMIT: Final = 500
"""Maximum number of runs of each kind that one sweep repairs."""


# Runs whose workers are dead.
_LOST: Final = (
    select(Run.id).where(Run.status == "running", ~exists().where(Worker.id == Run.worker_id)).limit(SWEEP_LIMIT)
)


def _stranded() -> Query[UUID]:
    waiting = candidate_runs(
        max_runs=SWEEP_LIMIT,
        condition="AND COALESCE(runs.last_update, runs.creation_date) < now() - make_interval(secs => :age)",
    )
    queued = select(waiting.c.id).order_by(waiting.c.turn, waiting.c.priority, waiting.c.id)
    return Query(union_all(_LOST, queued), UUID)


_STRANDED: Final = Query.deferred(_stranded)
_OVERLOOKED: Final = Query(
    union_all(_LOST, select(Run.id).where(Run.status == "queued", ~Run.held_back).order_by(Run.id).limit(SWEEP_LIMIT)),
    UUID,
)


async def overlooked_runs(pool: asyncpg.Pool) -> list[UUID]:
    """Returns runs whose workers are dead, and queued ones that no worker has looked at since they were queued."""
    return await _OVERLOOKED.fetch_all(pool)


async def wake_stranded(log: EventLog, age: float, runs_per_person: int) -> None:
    """Wakes workers for stranded runs, with one message per run.

    Args:
        log: The event log.
        age: Seconds after which the wake-up of a queued run counts as lost.
        runs_per_person: Maximum number of active root runs of one person.
    """
    stranded = await _STRANDED.fetch_all(log.pool, age=age, limit=runs_per_person)
    for run_id in stranded:
        await wake_worker(log, run_id)


@dataclass(frozen=True, slots=True)
class HeldRun:
    """A run that is assigned to a worker in the database, and the time of its last write."""

    id: UUID
    attempt: int


_OF_WORKER = (Run.status == "running", Run.worker_id == bindparam("worker_id"))
_HELD: Final = Query(
    select(Run.id, Run.attempt).where(
        *_OF_WORKER,
        func.coalesce(Run.last_update, Run.creation_date)
        < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, bindparam("age", type_=Double)),
    ),
    HeldRun,
)
_REQUEUE: Final = Command(
    update(Run)
    .where(*_OF_WORKER, Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"))
    .values(
        status="queued",
        worker_id=None,
        # A run that was claimed when its question was stored, and not written to since, has probably not begun.
        retry_count=Run.retry_count + case((Run.last_update.is_(None), 0), else_=bindparam("retries", type_=Integer)),
    )
)
_RETURN_ASSIGNED: Final = Command(
    update(Run)
    .where(*_OF_WORKER, Run.id == bindparam("run_id"), Run.attempt == 1, Run.steps_executed == 0)
    .values(status="queued", worker_id=None)
)
_RELEASE_RUNS: Final = Query(
    update(Run).where(*_OF_WORKER).values(status="queued", worker_id=None).returning(Run.id), UUID
)


async def held_runs(pool: asyncpg.Pool, worker_id: UUID, age: float) -> list[HeldRun]:
    """Returns the runs assigned to a worker that were not written to for `age` seconds."""
    return await _HELD.fetch_all(pool, worker_id=worker_id, age=age)


async def requeue(pool: asyncpg.Pool, worker_id: UUID, run: HeldRun, *, counts: bool) -> None:
    """Queues a run that its worker no longer executes; `counts` is whether this counts as a retry if it has begun."""
    await _REQUEUE.execute(pool, worker_id=worker_id, run_id=run.id, attempt=run.attempt, retries=int(counts))


async def return_assigned(log: EventLog, worker_id: UUID, run_id: UUID) -> bool:
    """Queues a run that was claimed for a worker when its question was stored, and wakes a worker for it.

    Nothing happens if the run has recorded a step, or is no longer that worker's first attempt.

    Args:
        log: The event log.
        worker_id: The worker, which does not begin it.
        run_id: The run.

    Returns:
        Whether it was queued.
    """
    is_queued = bool(await _RETURN_ASSIGNED.execute(log.pool, worker_id=worker_id, run_id=run_id))
    if is_queued:
        await wake_worker(log, run_id)
    return is_queued


async def release_runs(log: EventLog, worker_id: UUID) -> None:
    """Queues all runs of a stopping worker, so that other workers claim them at once."""
    for run_id in await _RELEASE_RUNS.fetch_all(log.pool, worker_id=worker_id):
        await wake_worker(log, run_id)


@dataclass(frozen=True, slots=True)
class RequestedControl:
    """A control that a person requested for a run in progress."""

    id: UUID
    control_requested: RunControl


_REQUESTED: Final = Query(
    select(Run.id, Run.control_requested).where(
        Run.id == any_(bindparam("run_ids", type_=ARRAY(Uuid))), Run.control_requested.is_not(None)
    ),
    RequestedControl,
)


async def requested_controls(pool: asyncpg.Pool, run_ids: Collection[UUID]) -> list[RequestedControl]:
    """Returns the requested controls of runs, as their messages may be lost."""
    if not run_ids:
        return []
    return await _REQUESTED.fetch_all(pool, run_ids=list(run_ids))


@dataclass(frozen=True, slots=True)
class OpenRuns:
    """Whether there are runs that have not ended."""

    are_queued_or_running: bool
    are_any: bool


_OPEN: Final = Query(
    select(
        exists().where(Run.status.in_(["queued", "running"])).label("are_queued_or_running"),
        exists().where(Run.status.in_(ACTIVE_RUN_STATUSES)).label("are_any"),
    ),
    OpenRuns,
)


async def open_runs(pool: asyncpg.Pool) -> OpenRuns:
    """Returns whether a sweep has anything to look at."""
    (found,) = await _OPEN.fetch_all(pool)
    return found


async def repair_trees(log: EventLog) -> None:
    """Queues parents that no longer have to wait, and cancels orphaned runs."""
    await queue_settled(log, SWEEP_LIMIT)
    for run_id in await orphans(log.pool, SWEEP_LIMIT):
        await move_run(log, run_id, "cancelled")
