"""The lease of a job: claimed by one worker at a time, renewed, and ended by completion, retry, failure or release.

A job is due at its scheduled time, when its lease has expired, or when its worker is dead. Each claim sets
`claimed_at`, and every later write of the worker requires that value, so that a worker whose job was claimed by
another one cannot change it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    CTE,
    ColumnElement,
    Float,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from echomind_lib.db.models import BackgroundJob, Worker
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.jobs.kinds import JobKind

LEASE_SECONDS: Final = 60.0
"""Duration of a lease that is not renewed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that a worker has claimed."""

    id: int
    kind: str
    subject_id: str
    payload: dict[str, Any]
    attempt: int
    """Number of the attempt, starting at 1."""
    claimed_at: datetime
    """Time of the claim, which later writes require to be unchanged."""
    is_last: bool = False
    """Whether no other job of the claimed kinds was due."""

    @property
    def api_key_id(self) -> int | None:
        """Returns the API key that requested it, as `requested_with` puts it into the payload; None for none."""
        return self.payload.get("apiKeyId")

    @property
    def fence(self) -> dict[str, Any]:
        """Returns the parameters of `held_job`."""
        return {"job_id": self.id, "job_claimed_at": self.claimed_at}


def _seconds(name: str) -> ColumnElement[Any]:
    return func.make_interval(0, 0, 0, 0, 0, 0, bindparam(name, type_=Float))


_is_held = and_(
    BackgroundJob.id == bindparam("job_id"),
    BackgroundJob.status == "running",
    BackgroundJob.claimed_at == bindparam("job_claimed_at"),
)


def held_job() -> CTE:
    """Returns a CTE that selects and locks the job that a worker holds; empty if its lease is lost.

    Statements that write on behalf of a job join it. Its parameters are those of `Job.fence`.
    """
    return select(BackgroundJob.id).where(_is_held).with_for_update(key_share=True).cte("held_job")


def _is_due(job: Any) -> ColumnElement[bool]:
    return and_(
        job.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
        job.status.in_(["pending", "running"]),
        or_(
            job.run_after <= func.now() - _seconds("waits"),
            and_(job.status == "running", ~exists().where(Worker.id == job.worker_id)),
        ),
    )


_other = aliased(BackgroundJob, name="other")
_due = (
    select(BackgroundJob.id)
    .where(_is_due(BackgroundJob))
    .order_by(BackgroundJob.run_after, BackgroundJob.id)
    .limit(1)
    .with_for_update(skip_locked=True)
    .cte("due")
)
_CLAIM: Final = Query(
    update(BackgroundJob)
    .values(
        status="running",
        attempt=BackgroundJob.attempt + 1,
        worker_id=bindparam("worker", type_=Uuid),
        claimed_at=func.clock_timestamp(),
        run_after=func.now() + _seconds("lease_seconds"),
    )
    .where(BackgroundJob.id == _due.c.id)
    .returning(
        BackgroundJob.id,
        BackgroundJob.kind,
        BackgroundJob.subject_id,
        BackgroundJob.payload,
        BackgroundJob.attempt,
        BackgroundJob.claimed_at,
        (~exists(select(_other.id).where(_other.id != BackgroundJob.id, _is_due(_other)))).label("is_last"),
    ),
    Job,
)
_RENEW: Final = Command(update(BackgroundJob).where(_is_held).values(run_after=func.now() + _seconds("lease_seconds")))
_was_requested_again = BackgroundJob.requested_at > BackgroundJob.claimed_at


def _end(status: str, error: ColumnElement[Any], *, recurs: bool = False) -> Command:
    """Returns a statement that ends a job; if it was requested again meanwhile, it becomes pending again."""
    attempt = literal(0) if recurs else case((_was_requested_again, 0), else_=BackgroundJob.attempt)
    return Command(
        update(BackgroundJob)
        .where(_is_held)
        .values(
            status=case((_was_requested_again, "pending"), else_=status),
            attempt=attempt,
            error=case((_was_requested_again, null()), else_=error),
            run_after=case((_was_requested_again, func.now()), else_=func.now() + _seconds("after")),
            worker_id=None,
        )
    )


_COMPLETE: Final = _end("completed", null())
_RECUR: Final = _end("pending", null(), recurs=True)
_FAIL: Final = _end("failed", bindparam("reason", type_=Text))
_RETRY: Final = Command(
    update(BackgroundJob)
    .where(_is_held)
    .values(
        status="pending",
        error=bindparam("reason", type_=Text),
        run_after=func.now() + _seconds("after"),
        worker_id=None,
    )
)
_RELEASE: Final = Command(
    update(BackgroundJob)
    .where(_is_held)
    .values(status="pending", attempt=BackgroundJob.attempt - 1, run_after=func.now(), worker_id=None)
)


async def claim(
    connection: Connection,
    kinds: Sequence[JobKind],
    worker_id: UUID,
    *,
    lease_seconds: float = LEASE_SECONDS,
    waits: float = 0.0,
) -> Job | None:
    """Claims the job of these kinds that has been due the longest.

    Args:
        connection: The database.
        kinds: The kinds.
        worker_id: The worker that claims it.
        lease_seconds: Duration of the lease, unless it is renewed.
        waits: Seconds for which it must have been due.

    Returns:
        The job; None if none is due.
    """
    names = [kind.name for kind in kinds]
    return await _CLAIM.fetch_one(connection, kinds=names, worker=worker_id, lease_seconds=lease_seconds, waits=waits)


async def renew(connection: Connection, job: Job, *, lease_seconds: float = LEASE_SECONDS) -> bool:
    """Extends the lease; returns False when it is lost."""
    return await _RENEW.execute(connection, **job.fence, lease_seconds=lease_seconds) == 1


async def complete(connection: Connection, job: Job, *, again_after: float | None = None) -> bool:
    """Completes a job; returns False if its lease is lost.

    Args:
        connection: The database, or a transaction.
        job: The job.
        again_after: Seconds after which it recurs; None if it does not recur.
    """
    command = _COMPLETE if again_after is None else _RECUR
    return await command.execute(connection, **job.fence, after=again_after or 0.0) == 1


async def retry(connection: Connection, job: Job, reason: str, delay: float) -> bool:
    """Releases a job until its next attempt, `delay` seconds from now; returns False if its lease is lost."""
    return await _RETRY.execute(connection, **job.fence, reason=reason, after=delay) == 1


async def fail(connection: Connection, job: Job, reason: str) -> bool:
    """Fails a job permanently. `reason` is shown to users. Returns False if its lease is lost."""
    return await _FAIL.execute(connection, **job.fence, reason=reason, after=0.0) == 1


async def release(connection: Connection, job: Job) -> bool:
    """Releases an unfinished job without counting a failure; returns False if its lease is lost."""
    return await _RELEASE.execute(connection, **job.fence) == 1
