"""Requests for jobs: stored in the database, then published, so that a worker starts at once."""

from typing import Any, Final

import asyncpg
from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Float,
    FromClause,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db.models import BackgroundJob
from echomind_lib.db.statements import Connection, Query
from echomind_lib.jobs.kinds import JobKind
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import JobRequested

_is_running = BackgroundJob.status == "running"
_is_requested = BackgroundJob.status.in_(["pending", "running"])
_due = func.now() + func.make_interval(0, 0, 0, 0, 0, 0, bindparam("after", type_=Float))
_failed_within: BindParameter[float] = bindparam("unless_failed_within", type_=Float)
# A running job stays with its worker and runs again if `requested_at` is later than its claim.
_request = insert(BackgroundJob).values(
    kind=bindparam("kind"),
    subject_id=bindparam("subject_id"),
    unique_key=bindparam("unique_key"),
    payload=bindparam("payload"),
    run_after=_due,
    requested_at=func.clock_timestamp(),
)
_upsert = _request.on_conflict_do_update(
    index_elements=[BackgroundJob.unique_key],
    set_={
        "status": case((_is_running, BackgroundJob.status), else_="pending"),
        "payload": case((_is_requested, BackgroundJob.payload), else_=_request.excluded.payload),
        "attempt": case((_is_running, BackgroundJob.attempt), else_=0),
        "run_after": case((_is_running, BackgroundJob.run_after), else_=_due),
        "error": case((_is_running, BackgroundJob.error), else_=None),
        "requested_at": func.clock_timestamp(),
    },
    where=or_(~_is_running, bindparam("runs_again"))
    & (
        (BackgroundJob.status != "failed")
        | (
            func.coalesce(BackgroundJob.last_update, BackgroundJob.creation_date)
            < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, _failed_within)
        )
    ),
).returning(BackgroundJob.id)
_ENQUEUE: Final = Query(_upsert, int)


def requested(kind: JobKind, subjects: FromClause, subject_id: ColumnElement[Any]) -> CTE:
    """Returns a CTE that requests jobs within another statement; call `wake` after its commit.

    Args:
        kind: The kind of the jobs.
        subjects: One row per job. Jobs that are pending, running or failed are unchanged.
        subject_id: The column with the id of the job's subject.
    """
    subject = cast(subject_id, Text)
    requests = select(literal(kind.name), subject, literal(kind.unique_key("")).concat(subject)).select_from(subjects)
    return (
        insert(BackgroundJob)
        .from_select(["kind", "subject_id", "unique_key"], requests)
        .on_conflict_do_update(
            index_elements=[BackgroundJob.unique_key],
            set_={"status": "pending", "attempt": 0, "run_after": func.now(), "requested_at": func.clock_timestamp()},
            where=BackgroundJob.status == "completed",
        )
        .cte(kind.name)
    )


async def enqueue(
    connection: Connection,
    kind: JobKind,
    subject_id: object = "",
    payload: dict[str, object] | None = None,
    *,
    unless_failed_within: float = 0.0,
    after: float = 0.0,
) -> int | None:
    """Stores a request for a job; call `wake` after its commit.

    A pending job of the same kind and subject is rescheduled to when this request is due.

    Args:
        connection: The database, or a transaction.
        kind: Its kind.
        subject_id: ID of its subject.
        payload: Additional data for its handler. While a job is pending or running, that of its first request is kept.
        unless_failed_within: Ignores the request if the same job failed within this many seconds.
        after: Delay in seconds until the job is due.

    Returns:
        The job's id; None if the request was ignored.
    """
    values = _values(kind, subject_id, payload, unless_failed_within, after)
    return await _ENQUEUE.fetch_one(connection, **values)


async def enqueue_in(
    session: AsyncSession, kind: JobKind, subject_id: object = "", payload: dict[str, object] | None = None
) -> None:
    """Enqueues a job as `enqueue` does, in the transaction of an ORM session."""
    await session.execute(_upsert, _values(kind, subject_id, payload, 0.0, 0.0))


def requested_with(api_key_id: int | None) -> dict[str, object]:
    """Returns the payload of a job that an API key requests, for `Job.api_key_id`; None for a request without one."""
    return {} if api_key_id is None else {"apiKeyId": api_key_id}


async def request(pool: asyncpg.Pool, bus: Bus, kind: JobKind, subject_id: object = "") -> None:
    """Stores a request for a job and wakes a worker."""
    await enqueue(pool, kind, subject_id)
    await wake(bus, kind)


async def wake(bus: Bus, kind: JobKind) -> None:
    """Wakes the workers of a kind of job. A lost message is repaired by their sweeps."""
    await bus.publish(kind.subject, JobRequested())


def _values(
    kind: JobKind, subject_id: object, payload: dict[str, object] | None, unless_failed_within: float, after: float
) -> dict[str, object]:
    return {
        "kind": kind.name,
        "subject_id": str(subject_id),
        "unique_key": kind.unique_key(str(subject_id)),
        "payload": payload or {},
        "runs_again": kind.runs_again,
        "unless_failed_within": unless_failed_within,
        "after": after,
    }
