"""Background jobs that failed for good: superadmins list them, put them back into their queue, or discard them."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Row, func, null, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.rows import audit, missing
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db.database import Database
from echomind_lib.db.models import BackgroundJob
from echomind_lib.db.paging import read_page
from echomind_lib.jobs import JobKind, wake
from echomind_lib.jobs.dead import IS_DEAD
from echomind_lib.messaging import Bus
from echomind_lib.models import public

_Job = BackgroundJob


class DeadLetters(public.DeadLetterService):
    """The service `DeadLetterService`."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database = database
        self._bus = bus

    @override
    async def list_dead_letters(
        self, request: public.ListDeadLettersRequest, call: CallContext
    ) -> public.ListDeadLettersResponse:
        require_role(call.principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "dead letters", request.kind)
        query = select(_Job).where(IS_DEAD)
        if request.kind:
            query = query.where(_Job.kind == request.kind)
        query = page.select(query, _Job.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return public.ListDeadLettersResponse(dead_letters=[_shown(row) for row in found], next_page_token=token)

    @override
    async def get_dead_letter(self, request: public.GetDeadLetterRequest, call: CallContext) -> public.DeadLetter:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await session.scalar(select(_Job).where(IS_DEAD).where(_Job.id == request.id))
        if row is None:
            raise missing("dead letter", request.id)
        return _shown(row)

    @override
    async def replay_dead_letter(self, request: public.ReplayDeadLetterRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        values = {
            "status": "pending",
            "attempt": 0,
            "error": null(),
            "run_after": func.now(),
            "requested_at": func.clock_timestamp(),
        }
        async with self._database.session() as session:
            job = await _write(session, request.id, values, call)
            if job is None:
                await _require(session, request.id, _Job.status != "failed")
        if job is not None:
            await wake(self._bus, JobKind(name=job.kind))
        return Empty()

    @override
    async def discard_dead_letter(self, request: public.DiscardDeadLetterRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            if await _write(session, request.id, {"discarded_at": func.now()}, call) is None:
                await _require(session, request.id, _Job.status == "failed")
        return Empty()


async def _write(
    session: AsyncSession, job_id: int, values: Mapping[str, Any], call: CallContext
) -> Row[str, str] | None:
    """Changes a dead letter and records it; returns its kind and subject, None if the job is no dead letter."""
    changed = (
        update(_Job)
        .where(_Job.id == job_id, IS_DEAD)
        .values(**values, user_id_last_update=call.principal.user_id)
        .returning(_Job.kind, _Job.subject_id)
        .execution_options(synchronize_session=False)
    )
    job = (await session.execute(changed)).one_or_none()
    if job is not None:
        audit(session, call, f"dead-letters/{job_id}", kind=job.kind, subject_id=job.subject_id)
    return job


async def _require(session: AsyncSession, job_id: int, state: ColumnElement[bool]) -> None:
    """Raises `NotFoundError` unless there is a job in a state in which repeating the call has no effect."""
    if await session.scalar(select(_Job.id).where(_Job.id == job_id, state)) is None:
        raise missing("dead letter", job_id)


def _shown(row: BackgroundJob) -> public.DeadLetter:
    return public.DeadLetter(
        id=row.id,
        kind=row.kind,
        subject_id=row.subject_id,
        reason=row.error or "",
        attempts=row.attempt,
        requested_at=row.requested_at,
        failed_at=row.last_update,
    )
