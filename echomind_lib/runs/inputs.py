"""User input to waiting runs: an answer, or a decision on tool calls. Each is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy import Boolean, Text, bindparam, case, func, not_, null, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.db.expressions import milliseconds_since
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, stored_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.queue import wake_worker
from echomind_lib.runs.states import status_event

OUTCOME_UNKNOWN = "outcome_unknown. The call was begun, and whether it took effect is not known."
"""The error of a tool call with a side effect that was interrupted."""
_RESULT_CHARACTERS = 4_000
"""Maximum length of an answer in its event."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The input that a run waits for."""

    pending_input: dict[str, Any]
    """ProtoJSON of `PendingInput`."""
    step_id: int
    step_number: int


# Not FOR UPDATE: writers of events reference the run while they hold the log's lock, which this transaction acquires
# later.
_WAITING: Final = Query(
    select(Run.pending_input, Step.id.label("step_id"), Step.step_number)
    .join(Step, Step.run_id == Run.id)
    .where(Run.id == bindparam("run_id"), Run.status == "waiting_for_input", Step.status == "running")
    .with_for_update(key_share=True, of=Run),
    _Waiting,
)


def _answer_call() -> Query[str]:
    failed = bindparam("failed", type_=Boolean)
    text = bindparam("text", type_=Text)
    return Query(
        update(ToolCall)
        .where(
            ToolCall.step_id == bindparam("step_id"),
            ToolCall.tool_call_id == bindparam("tool_call_id"),
            ToolCall.status.in_(["pending", "running"]),
        )
        .values(
            status=case((failed, "failed"), else_="completed"),
            result=case((not_(failed), text)),
            error_message=case((failed, text)),
            completed_at=func.now(),
            decision_date=func.now(),
            user_id_last_update=bindparam("user_id"),
            request_id=bindparam("request_id"),
            progress_percentage=case((failed, ToolCall.progress_percentage), else_=100),
            execution_duration_ms=milliseconds_since(ToolCall.started_at),
        )
        .returning(ToolCall.tool_name),
        str,
    )


@dataclass(frozen=True, slots=True)
class _DecidedCall:
    tool_call_id: str
    tool_name: str


def _decide_calls() -> Query[_DecidedCall]:
    approved = bindparam("approved", type_=Boolean)
    tool_call_id = bindparam("tool_call_id", type_=Text)
    return Query(
        update(ToolCall)
        .where(
            ToolCall.step_id == bindparam("step_id"),
            ToolCall.approval == "required",
            ToolCall.status == "pending",
            or_(tool_call_id == "", ToolCall.tool_call_id == tool_call_id),
        )
        .values(
            approval=case((approved, "granted"), else_="denied"),
            approval_comment=bindparam("comment"),
            status=case((approved, ToolCall.status), else_="failed"),
            error_message=case((approved, ToolCall.error_message), else_=bindparam("error_message", type_=Text)),
            completed_at=case((not_(approved), func.now())),
            decision_date=func.now(),
            user_id_last_update=bindparam("user_id"),
        )
        .returning(ToolCall.tool_call_id, ToolCall.tool_name),
        _DecidedCall,
    )


def _continue(**changes: Any) -> Query[StoredIds]:
    run = (
        update(Run)
        .where(Run.id == bindparam("run_id"))
        .values(user_id_last_update=bindparam("user_id"), **changes)
        .returning(Run.id.label("run_id"), Run.chat_session_id)
        .cte("origin")
    )
    return Query(select(stored_events(run, given_events())), StoredIds)


def _answer_form() -> Query[str]:
    return Query(
        update(ToolCall)
        .where(
            ToolCall.step_id == bindparam("step_id"),
            ToolCall.tool_call_id == bindparam("tool_call_id"),
            ToolCall.status == "pending",
        )
        .values(
            elicitation=bindparam("elicitation", type_=JSONB),
            decision_date=func.now(),
            user_id_last_update=bindparam("user_id"),
            request_id=bindparam("request_id"),
        )
        .returning(ToolCall.tool_name),
        str,
    )


_ANSWER_CALL: Final = Query.deferred(_answer_call)
_ANSWER_FORM: Final = Query.deferred(_answer_form)
_ELICITATION: Final = Query(
    select(ToolCall.elicitation).where(
        ToolCall.step_id == bindparam("step_id"),
        ToolCall.tool_call_id == bindparam("tool_call_id"),
        ToolCall.status == "pending",
    ),
    dict[str, Any],
)
_DECIDE_CALLS: Final = Query.deferred(_decide_calls)
_UNDECIDED: Final = Query(
    select(ToolCall.tool_call_id).where(
        ToolCall.step_id == bindparam("step_id"), ToolCall.approval == "required", ToolCall.status == "pending"
    ),
    str,
)
_QUEUE: Final = Query.deferred(lambda: _continue(status="queued", pending_input=null()))
_ASK_ON: Final = Query.deferred(lambda: _continue(pending_input=bindparam("pending_input", type_=JSONB)))
_ANSWERED_WITH: Final = Query(
    select(Step.run_id)
    .join(ToolCall, ToolCall.step_id == Step.id)
    .where(ToolCall.user_id_last_update == bindparam("user_id"), ToolCall.request_id == bindparam("request_id")),
    UUID,
)


async def provide_input(
    log: EventLog, run_id: UUID, user_id: int, content: str, request_id: str = ""
) -> list[SessionEvent] | None:
    """Answers the request of a waiting run, and queues it.

    Args:
        log: The event log.
        run_id: The run.
        user_id: ID of the user who answers.
        content: The answer; the model reads it as the result of its question.
        request_id: The user's idempotency key; empty for none.

    Returns:
        The stored events; None if the run waits for no answer: it does not wait, or waits for an approval.

    Raises:
        asyncpg.UniqueViolationError: The user has answered with this key before.
        ValidationFailedError: The answer does not fit the form of an MCP server that asks.
    """
    async with log.transaction() as transaction:
        waiting = await _WAITING.fetch_one(transaction.connection, run_id=run_id)
        if waiting is None or waiting.pending_input["kind"] == "PENDING_INPUT_KIND_APPROVAL":
            return None
        is_unknown = waiting.pending_input["kind"] == "PENDING_INPUT_KIND_OUTCOME"
        call_id = waiting.pending_input["toolCalls"][0]["toolCallId"]
        text = f"{OUTCOME_UNKNOWN} The person says: {content}" if is_unknown else content
        values = {
            "step_id": waiting.step_id,
            "tool_call_id": call_id,
            "user_id": user_id,
            "request_id": request_id or None,
        }
        form = await _answered_form(transaction, waiting.step_id, call_id, content) if not is_unknown else None
        if form is not None:
            name = await _ANSWER_FORM.fetch_one(transaction.connection, elicitation=form, **values)
        else:
            name = await _ANSWER_CALL.fetch_one(transaction.connection, failed=is_unknown, text=text, **values)
        answered = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Answered by a person")
        answered.tool_call.step_number = waiting.step_number
        answered.tool_call.tool_call_id = call_id
        answered.tool_call.tool_name = name or ""
        if form is not None:  # the call is made again with the answer
            answered.tool_call.status = step_pb2.STEP_STATUS_PENDING
        elif is_unknown:
            answered.tool_call.status = step_pb2.STEP_STATUS_FAILED
            answered.tool_call.error_message = text
        else:
            answered.tool_call.status = step_pb2.STEP_STATUS_COMPLETED
            answered.tool_call.result = text[:_RESULT_CHARACTERS]
        events = [answered, status_event("queued", "Queued")]
        await transaction.append(_QUEUE, events, run_id=run_id, user_id=user_id)
    await wake_worker(log, run_id)
    return events


async def _answered_form(
    transaction: LogTransaction, step_id: int, tool_call_id: str, content: str
) -> dict[str, Any] | None:
    """Returns what an MCP server asked during a call with the person's answer; None if no server asked."""
    stored = await _ELICITATION.fetch_one(transaction.connection, step_id=step_id, tool_call_id=tool_call_id)
    elicitation = msgspec.convert(stored, Elicitation) if stored else None
    return None if elicitation is None or elicitation.open is None else elicitation.answered(content).stored()


async def answered_with(pool: asyncpg.Pool, user_id: int, request_id: str) -> UUID | None:
    """Returns the run that a user has answered with an idempotency key; None if there is none."""
    return await _ANSWERED_WITH.fetch_one(pool, user_id=user_id, request_id=request_id) if request_id else None


async def approve(log: EventLog, run_id: UUID, user_id: int, tool_call_id: str, approved: bool, comment: str) -> bool:
    """Approves or denies waiting tool calls, and queues the run once none is waiting.

    Args:
        log: The event log.
        run_id: The run.
        user_id: ID of the user who decides.
        tool_call_id: The call; empty means all that wait.
        approved: Whether to approve them; False denies them.
        comment: The reason, for the model.

    Returns:
        Whether there was such a waiting call.
    """
    async with log.transaction() as transaction:
        waiting = await _WAITING.fetch_one(transaction.connection, run_id=run_id)
        if waiting is None:
            return False
        denied = f"The person denied this call{f': {comment}' if comment else '.'}"
        calls = await _DECIDE_CALLS.fetch_all(
            transaction.connection,
            step_id=waiting.step_id,
            tool_call_id=tool_call_id,
            approved=approved,
            comment=comment or None,
            error_message=denied,
            user_id=user_id,
        )
        if not calls:
            return False
        events = [_decision_event(call, waiting.step_number, "" if approved else denied) for call in calls]
        undecided = await _UNDECIDED.fetch_all(transaction.connection, step_id=waiting.step_id)
        await _settle(transaction, run_id, user_id, waiting.pending_input, undecided, events)
    if not undecided:
        await wake_worker(log, run_id)
    return True


async def _settle(
    transaction: LogTransaction,
    run_id: UUID,
    user_id: int,
    pending_input: dict[str, Any],
    undecided: Sequence[str],
    events: Sequence[SessionEvent],
) -> None:
    """Queues a run, or keeps it waiting for the remaining calls."""
    values: dict[str, Any] = {"run_id": run_id, "user_id": user_id}
    if undecided:
        calls = [call for call in pending_input["toolCalls"] if call["toolCallId"] in undecided]
        await transaction.append(_ASK_ON, events, pending_input=pending_input | {"toolCalls": calls}, **values)
    else:
        await transaction.append(_QUEUE, [*events, status_event("queued", "Queued")], **values)


def _decision_event(call: _DecidedCall, step_number: int, denied: str) -> SessionEvent:
    """Returns the event of a call's approval; of its denial when `denied` has the call's error."""
    event = SessionEvent(
        kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
        text=f"{'Denied' if denied else 'Approved'} {call.tool_name}",
    )
    event.tool_call.step_number = step_number
    event.tool_call.tool_call_id = call.tool_call_id
    event.tool_call.tool_name = call.tool_name
    event.tool_call.approval = step_pb2.TOOL_APPROVAL_DENIED if denied else step_pb2.TOOL_APPROVAL_GRANTED
    event.tool_call.status = step_pb2.STEP_STATUS_FAILED if denied else step_pb2.STEP_STATUS_PENDING
    if denied:
        event.tool_call.error_message = denied
    return event
