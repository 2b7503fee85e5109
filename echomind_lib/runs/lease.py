"""The lease of a run: claimed, released, retried. Each function is one statement, and thereby one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import Text, bindparam, case, func, select, true, update
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.citation_rows import NewCitation, citation_record, inserted_citations
from echomind_lib.runs.claim import CLAIM, CLAIM_NAMED, READ_ASSIGNED, RECOVERING
from echomind_lib.runs.details import with_details
from echomind_lib.runs.fence import LeaseLostError, RunLease, append_fenced, fenced, fenced_events
from echomind_lib.runs.parents import queue_if_settled
from echomind_lib.runs.queue import SLOT_INDEX, changed_meanwhile, person_waits, wake_worker
from echomind_lib.runs.record import ClaimedRow
from echomind_lib.runs.states import status_event, warning_event


class ControlPendingError(Exception):
    """A user has requested a control that takes precedence.

    `control` is `cancel` or `pause`, or `resume` if the pause for which the run is released was withdrawn.
    """

    def __init__(self, control: str) -> None:
        super().__init__(control)
        self.control = control


_CLAIM_TRIES = 20
"""Attempts at a claim when other processes choose the same slot of a person concurrently."""
RUNS_PER_PERSON = 8
"""Default maximum of active root runs of one person."""


async def claim(log: EventLog, run_id: UUID | None, worker_id: UUID, limit: int = RUNS_PER_PERSON) -> RunLease | None:
    """Claims a run whose worker is dead, or the queued run whose turn it is (see `queue`).

    Args:
        log: The event log.
        run_id: The run to prefer, from the request; None for the next in turn.
        worker_id: ID of the worker.
        limit: Maximum number of active root runs of one person.

    Returns:
        A run, not necessarily `run_id`; None if none may start now.
    """
    for _ in range(_CLAIM_TRIES):
        try:
            return await _execute_claim(log, CLAIM, run_id=run_id, worker_id=worker_id, limit=limit)
        except _SlotTakenError:
            continue
    return None


async def claim_named(
    log: EventLog, run_id: UUID, worker_id: UUID, limit: int = RUNS_PER_PERSON, *, free: int = 1, skip: int = 0
) -> RunLease | None:
    """Claims a queued root run if its order does not matter; at a fraction of the cost of `claim`.

    Args:
        log: The event log.
        run_id: The run.
        worker_id: ID of the worker.
        limit: Maximum number of active root runs of one person.
        free: Number of runs that the worker may start now, this one included: with more in the queue, nothing is
            claimed.
        skip: Number of the person's free slots to leave to other claims of this worker.

    Returns:
        The run; None if it has to be chosen by `claim`, if it may start at all.
    """
    values = {"run_id": run_id, "worker_id": worker_id, "limit": limit, "free": free, "skip": skip}
    try:
        return await _execute_claim(log, CLAIM_NAMED, **values)
    except _SlotTakenError:
        return None


async def begin_assigned(log: EventLog, run_id: UUID, worker_id: UUID) -> RunLease | None:
    """Returns a run that was claimed for a worker when its question was stored (see `assignment`).

    Args:
        log: The event log.
        run_id: The run.
        worker_id: ID of the worker.

    Returns:
        The run; None if it is no longer the worker's, or has ended.
    """
    row = await READ_ASSIGNED.fetch_one(log.pool, run_id=run_id, worker_id=worker_id)
    return None if row is None else RunLease(await with_details(log.pool, row.run))


class _SlotTakenError(Exception):
    """Another claim has assigned the person's slot concurrently."""


async def _execute_claim(log: EventLog, statement: Query[ClaimedRow], **values: Any) -> RunLease | None:
    event = status_event("running", "Working")

    def fill(row: ClaimedRow) -> None:
        event.status.attempt = row.run.attempt
        event.status.is_recovery = row.is_recovery
        event.member = row.run.member_name
        event.text = RECOVERING if row.is_recovery else event.text

    try:
        row = await log.append(statement, [event], fill=fill, **values)
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name != SLOT_INDEX:
            raise
        raise _SlotTakenError from error
    return None if row is None else RunLease(await with_details(log.pool, row.run))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Released(StoredIds):
    frees_slot: bool


def _release(*, cites: bool) -> Query[_Released]:
    status = bindparam("status", type_=Text)
    run = fenced(
        Run.user_id,
        changed_meanwhile(),
        where=[Run.control_requested.is_not_distinct_from(case((status == "paused", "pause")))],
        status=status,
        worker_id=None,
        control_requested=None,
        pending_input=bindparam("pending_input", type_=JSONB),
        seconds_spent=func.greatest(Run.seconds_spent, bindparam("seconds")),
    )
    message = (
        update(ChatMessage)
        .where(ChatMessage.run_id == run.c.run_id, ChatMessage.role == "assistant")
        .values(content=bindparam("content"))
        .cte("message")
    )
    stored = fenced_events(run)
    return Query(
        select(stored, person_waits(run).label("frees_slot"))
        .select_from(stored.join(run, true()))
        .add_cte(message, *([inserted_citations(run)] if cites else [])),
        _Released,
    )


_RELEASE: Final = Query.deferred(lambda: _release(cites=False))
_RELEASE_CITED: Final = Query.deferred(lambda: _release(cites=True))
_CONTROL: Final = Query(
    select(func.coalesce(Run.control_requested, "resume")).where(
        Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"), Run.status == "running"
    ),
    str,
)


async def release(
    log: EventLog,
    lease: RunLease,
    status: RunStatus,
    *,
    content: str,
    seconds: float,
    events: Sequence[SessionEvent],
    pending_input: dict[str, Any] | None = None,
    has_sub_runs: bool = True,
    citations: Sequence[NewCitation] = (),
) -> None:
    """Releases a run, to be resumed later by any worker.

    A run that waits for sub-runs is queued in the same transaction if their results suffice already.

    Args:
        log: The event log.
        lease: The run.
        status: `paused` when a user requested it, `waiting_for_input` or `waiting_for_children`; `queued` if the
            pause was withdrawn meanwhile.
        content: The text so far.
        seconds: Active seconds so far.
        events: Its events.
        pending_input: The request to a person, as ProtoJSON of `PendingInput`.
        has_sub_runs: Whether it may wait for sub-runs.
        citations: The citations of the text so far; only of a run with a message.

    Raises:
        ControlPendingError: A user requested another control meanwhile, which must be applied instead.
        LeaseLostError: The worker no longer holds the run.
    """
    values: dict[str, Any] = {"status": status, "content": content, "seconds": seconds, "pending_input": pending_input}
    statement = _RELEASE
    if citations:
        statement = _RELEASE_CITED
        values |= {"message_id": lease.run.message_id, "citations": list(map(citation_record, citations))}
    is_queued = status == "queued"
    try:
        if has_sub_runs and status in ("waiting_for_children", "waiting_for_input"):
            async with log.transaction() as transaction:
                row = await append_fenced(transaction, statement, lease, events, **values)
                is_queued = await queue_if_settled(transaction, lease.run_id)
        else:
            row = await append_fenced(log, statement, lease, events, **values)
    except LeaseLostError:
        control = await _CONTROL.fetch_one(log.pool, run_id=lease.run_id, attempt=lease.attempt)
        if control is None:
            raise
        raise ControlPendingError(control) from None
    if is_queued:
        await wake_worker(log, lease.run_id)
    elif row.frees_slot and status != "waiting_for_children":
        await wake_worker(log)


def _retry() -> Query[StoredIds]:
    run = fenced(
        status="queued",
        worker_id=None,
        retry_count=Run.retry_count + 1,
        prompt_tokens=Run.prompt_tokens + bindparam("prompt_tokens"),
        completion_tokens=Run.completion_tokens + bindparam("completion_tokens"),
        cost=func.coalesce(Run.cost, 0) + bindparam("cost"),
    )
    return Query(select(fenced_events(run)), StoredIds)


_RETRY: Final = Query.deferred(_retry)
_RECORD_EVENTS = Query(select(fenced_events(fenced())), StoredIds)


async def retry(
    log: EventLog,
    lease: RunLease,
    text: str,
    reason: str = "",
    *,
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    cost: float = 0.0,
) -> None:
    """Queues a run for another attempt, after a transient failure.

    Args:
        log: The event log.
        lease: The lease of the run.
        text: The event's text.
        reason: `RunError.reason` of the failure.
        prompt_tokens: Tokens of the prompt of an interrupted model call, to add to the run's.
        completion_tokens: Tokens of its answer.
        cost: US dollars to add to the run's cost.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    event = warning_event(session_event_pb2.WARNING_CODE_RUN_RETRIED, text, reason)
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    event.status.attempt = lease.attempt
    usage: dict[str, Any] = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "cost": cost}
    await append_fenced(log, _RETRY, lease, [event], **usage)
    await wake_worker(log, lease.run_id)


async def record_events(log: EventLog, lease: RunLease, events: Sequence[SessionEvent]) -> None:
    """Stores and publishes events of a run.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    await append_fenced(log, _RECORD_EVENTS, lease, events)
