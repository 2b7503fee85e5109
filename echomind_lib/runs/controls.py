"""Cancelling, pausing and resuming runs.

An idle run (one that no worker executes) changes its status at once. For a run that a worker executes, the control is
stored in `control_requested` and published to the worker, which applies it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    Text,
    Uuid,
    any_,
    bindparam,
    case,
    func,
    literal,
    null,
    select,
    true,
    update,
)
from sqlalchemy.orm import aliased

from echomind_lib.db.expressions import MAX_BIGINT, milliseconds_since
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import given_events, stored_events
from echomind_lib.messaging import control_subject
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as messages
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import exists_in
from echomind_lib.runs.finish_statement import EFFECT_UNKNOWN, calls_of
from echomind_lib.runs.inputs import OUTCOME_UNKNOWN
from echomind_lib.runs.parents import EndedRow, after, append_end, locked_parent
from echomind_lib.runs.queue import changed_meanwhile, person_waits, wake_worker
from echomind_lib.runs.states import run_status, sources_of, status_event

_CONTROLS: Final[dict[RunStatus, messages.Control.ValueType]] = {
    "cancelled": messages.CONTROL_CANCEL,
    "paused": messages.CONTROL_PAUSE,
    "queued": messages.CONTROL_RESUME,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moved(EndedRow):
    frees_slot: bool


def _cancel(is_of_kind: ColumnElement[bool], *before: CTE) -> Query[_Moved]:
    """Returns the statement that cancels an idle run of a kind; `before` selects rows to lock before the run."""
    # The session of a root run that works by itself is locked first, as in `finish`.
    locked = (
        select(ChatSession.id)
        .join(Run, Run.chat_session_id == ChatSession.id)
        .where(Run.id == bindparam("run_id"), Run.auto_run, Run.parent_run_id.is_(None))
        .with_for_update(key_share=True, of=ChatSession)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    run = (
        update(Run)
        .where(
            Run.id == bindparam("run_id"),
            Run.status.in_([status for status in sources_of("cancelled") if status != "running"]),
            is_of_kind,
            *(after(rows) for rows in (locked, *before)),
        )
        .values(
            status="cancelled",
            attempt=Run.attempt + 1,
            control_requested=None,
            pending_input=null(),
            held_back=False,
            completed_at=func.now(),
            duration_ms=milliseconds_since(func.coalesce(Run.started_at, func.now()), limit=MAX_BIGINT),
        )
        .returning(Run.id.label("run_id"), Run.chat_session_id, Run.user_id, Run.parent_run_id, changed_meanwhile())
        .cte("origin")
    )
    session = (
        update(ChatSession)
        .where(exists_in(run), ChatSession.id == locked.c.id)
        .values(status="cancelled")
        .cte("session")
    )
    message = (
        update(ChatMessage)
        .where(ChatMessage.run_id == run.c.run_id)
        .values(status="cancelled", tool_calls=calls_of(run))
        .cte("message")
    )
    calls = (
        update(ToolCall)
        .where(
            ToolCall.step_id == Step.id,
            Step.run_id == run.c.run_id,
            Step.status == "running",
            ToolCall.status.in_(["pending", "running"]),
        )
        .values(
            status=case((EFFECT_UNKNOWN, "failed"), else_="cancelled"),
            completed_at=func.now(),
            error_message=case((EFFECT_UNKNOWN, OUTCOME_UNKNOWN), else_=ToolCall.error_message),
        )
        .cte("calls")
    )
    step = (
        update(Step)
        .where(Step.run_id == run.c.run_id, Step.status == "running")
        .values(status="cancelled", completed_at=func.now())
        .cte("step")
    )
    return _moved(run, session, message, calls, step)


def _move() -> Query[_Moved]:
    sources = bindparam("sources", type_=ARRAY(Text))
    run = (
        update(Run)
        .where(Run.id == bindparam("run_id"), Run.status == any_(sources))
        .values(
            status=bindparam("status"),
            attempt=Run.attempt + 1,
            control_requested=None,
            pending_input=null(),
            held_back=False,
        )
        .returning(Run.id.label("run_id"), Run.chat_session_id, Run.user_id, Run.parent_run_id, changed_meanwhile())
        .cte("origin")
    )
    return _moved(run)


def _moved(run: CTE, *changes: CTE) -> Query[_Moved]:
    stored = stored_events(run, given_events())
    return Query(
        select(stored, run.c.parent_run_id, person_waits(run).label("frees_slot"))
        .select_from(stored.join(run, true()))
        .add_cte(*changes),
        _Moved,
    )


def _below() -> Query[UUID]:
    below = (
        select(Run.id, Run.status, literal(1).label("level"))
        .where(Run.parent_run_id == bindparam("run_id"))
        .cte("below", recursive=True)
    )
    sub_run = aliased(Run)
    below = below.union_all(
        select(sub_run.id, sub_run.status, below.c.level + 1).join(below, sub_run.parent_run_id == below.c.id)
    )
    return Query(
        select(below.c.id)
        .where(below.c.status == any_(bindparam("statuses", type_=ARRAY(Text))))
        .order_by(below.c.level, below.c.id),
        UUID,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SubRun:
    """A run to be cancelled."""

    id: UUID
    level: int
    """0 for the given runs, 1 for their sub-runs, and so on."""
    is_asked: bool
    """Whether a worker executes it, and was requested to cancel it."""


def _ask_to_cancel() -> Query[_SubRun]:
    """Returns the statement that finds runs and all their descendants, and marks those that a worker executes."""
    named = select(Run.id, Run.status, literal(0).label("level")).where(
        Run.id == any_(bindparam("run_ids", type_=ARRAY(Uuid)))
    )
    found = named.cte("found", recursive=True)
    sub_run = aliased(Run)
    found = found.union_all(
        select(sub_run.id, sub_run.status, found.c.level + 1).join(found, sub_run.parent_run_id == found.c.id)
    )
    asked = (
        update(Run)
        .where(Run.id == found.c.id, Run.status == "running")
        .values(control_requested="cancel")
        .returning(Run.id)
        .cte("asked")
    )
    return Query(
        select(found.c.id, found.c.level, asked.c.id.is_not(None).label("is_asked"))
        .select_from(found.outerjoin(asked, asked.c.id == found.c.id))
        .where(found.c.status.in_(sources_of("cancelled")))
        .order_by(found.c.level, found.c.id),
        _SubRun,
    )


_ASK_TO_CANCEL: Final = Query.deferred(_ask_to_cancel)
_CANCEL_ROOT: Final = Query.deferred(lambda: _cancel(Run.parent_run_id.is_(None)))
_CANCEL_SUB_RUN: Final = Query.deferred(lambda: _cancel(Run.parent_run_id.is_not(None), locked_parent()))
_MOVE: Final = Query.deferred(_move)
_BELOW: Final = Query.deferred(_below)
_REQUEST_CONTROL: Final = Command(
    update(Run)
    .where(Run.id == bindparam("run_id"), Run.status == "running")
    .values(control_requested=case((Run.control_requested == "cancel", "cancel"), else_=bindparam("control")))
)
_TAKE_PAUSE_BACK: Final = Command(
    update(Run)
    .where(Run.id == bindparam("run_id"), Run.status == "running", Run.control_requested == "pause")
    .values(control_requested=None)
)


async def move_run(log: EventLog, run_id: UUID, target: RunStatus) -> bool:
    """Cancels, pauses or resumes a run and its sub-runs.

    Args:
        log: The event log.
        run_id: The run.
        target: `cancelled`, `paused` or `queued` (resume).

    Returns:
        Whether the run's state allowed it; otherwise nothing has changed.
    """
    if not await _move_one(log, run_id, target):
        return False
    await move_below(log, run_id, target)
    return True


async def move_below(log: EventLog, run_id: UUID, target: RunStatus) -> None:
    """Applies a control to all sub-runs of a run; those whose status does not allow it are unchanged."""
    for below in await _BELOW.fetch_all(log.pool, run_id=run_id, statuses=[*_sources(target), "running"]):
        await _move_one(log, below, target)


async def cancel_sub_runs(log: EventLog, run_ids: Sequence[UUID]) -> None:
    """Cancels sub-runs that a closed step has started, with their descendants; ended runs are unchanged.

    One query finds all of them, and one statement cancels each idle one: a run never waits for the sub-runs of a closed
    step, so no parent has to be queued.

    Args:
        log: The event log.
        run_ids: The runs that are no longer needed.
    """
    for found in await _ASK_TO_CANCEL.fetch_all(log.pool, run_ids=run_ids) if run_ids else ():
        if found.is_asked:
            await _publish_control(log, found.id, "cancelled")
        elif found.level or await log.append(_CANCEL_SUB_RUN, [_cancelled()], run_id=found.id) is None:
            await _move_one(log, found.id, "cancelled")  # a deeper run, or claimed meanwhile


async def _move_one(log: EventLog, run_id: UUID, target: RunStatus) -> bool:
    # Two rounds: the run may be claimed or released between these statements.
    for _ in range(2):
        for way in (_move_idle, _move_through_worker, _cancel_idle_sub_run):
            if await way(log, run_id, target):
                return True
    return False


async def _move_idle(log: EventLog, run_id: UUID, target: RunStatus) -> bool:
    """Changes the status of an idle run; sub-runs are cancelled by `_cancel_idle_sub_run`."""
    if target == "cancelled":
        row = await log.append(_CANCEL_ROOT, [_cancelled()], run_id=run_id)
    else:
        event = status_event(target, "Paused" if target == "paused" else "Queued")
        row = await log.append(_MOVE, [event], run_id=run_id, status=target, sources=_sources(target))
    if row is None:
        return False
    if target == "queued":
        await wake_worker(log, run_id)
    elif row.frees_slot:
        await wake_worker(log)
    return True


async def _cancel_idle_sub_run(log: EventLog, run_id: UUID, target: RunStatus) -> bool:
    """Cancels an idle sub-run."""
    if target != "cancelled":
        return False
    return await append_end(log, _CANCEL_SUB_RUN, [_cancelled()], run_id=run_id) is not None


def _cancelled() -> SessionEvent:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_FINAL, text="Cancelled")
    event.finished.status = run_status("cancelled")
    return event


async def _move_through_worker(log: EventLog, run_id: UUID, target: RunStatus) -> bool:
    """Sends the request to the worker that executes the run."""
    if target == "queued":
        asked = await _TAKE_PAUSE_BACK.execute(log.pool, run_id=run_id)
    else:
        control = "cancel" if target == "cancelled" else "pause"
        asked = await _REQUEST_CONTROL.execute(log.pool, run_id=run_id, control=control)
    if asked:
        await _publish_control(log, run_id, target)
    return bool(asked)


async def _publish_control(log: EventLog, run_id: UUID, target: RunStatus) -> None:
    message = messages.ControlRequested(run_id=str(run_id), control=_CONTROLS[target])
    await log.bus.publish(control_subject(run_id), message)


def _sources(target: RunStatus) -> list[RunStatus]:
    """Returns the states from which an idle run may change to `target`; only a paused run is resumed."""
    return ["paused"] if target == "queued" else [status for status in sources_of(target) if status != "running"]
