"""The end of a run in a worker's hands: what it leaves in its message. Fenced as `fence` says."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ScalarSelect,
    Text,
    bindparam,
    cast,
    func,
    insert,
    null,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by

from echomind_lib.db.expressions import json_rows, milliseconds_since
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatSession
from echomind_lib.db.models.content import Document
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.db.words import ChatSessionStatus, MessageStatus, RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds, given_events, stored_events
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import append_fenced, exists_in, fenced
from echomind_lib.runs.lease import RunLease
from echomind_lib.runs.parents import ending as ending_run
from echomind_lib.runs.queue import person_waits, wake_worker
from echomind_lib.runs.states import run_status
from echomind_lib.runs.steps import NewStep, inserted_step, step_record

_IMPORTANT_STEPS = 20
"""The newest of them that a session keeps."""


@dataclass(slots=True)
class NewCitation:
    """A citation as it is stored; offsets are code points, ends exclusive."""

    number: int
    document_id: int
    title: str
    chunk_id: str
    score: float
    snippet: str
    supported: bool
    page: int | None
    sentence_start: int
    sentence_end: int
    chunking_session: str
    span_start: int
    span_end: int


@dataclass(slots=True)
class Answer:
    """What a run leaves in its message."""

    content: str
    token_count: int
    error: str = ""
    rephrased_query: str = ""
    citations: list[NewCitation] = field(default_factory=list)
    retrieval_context: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Ending:
    """How a run ends."""

    status: RunStatus
    """A final state."""
    text: str
    """The final event's line for people."""
    error: dict[str, str] | None = None
    """What ended it early: `reason` and `message`."""
    cost: float = 0.0
    """US dollars to add to the run's."""
    seconds: float = 0.0
    """Seconds worked, without waiting."""
    tainted: bool = False
    """Whether it has read untrusted text."""
    final_output: dict[str, Any] | None = None
    """For a run without a message: its answer as `text`, and the `sources` that it cites."""
    result_summary: str | None = None
    """What it tells its parent."""
    important_steps: list[dict[str, Any]] | None = None
    """What later runs of the session should know of."""
    session_status: ChatSessionStatus | None = None
    """What becomes of the session; None leaves it as it is."""


def calls_of(run: CTE) -> ScalarSelect[Any]:
    """Returns the tools that a run (`run_id`) has called, as its message keeps them."""
    call = func.jsonb_build_object("toolName", ToolCall.tool_name, "parameters", ToolCall.parameters)
    return (
        select(func.coalesce(func.jsonb_agg(aggregate_order_by(call, ToolCall.id)), cast([], JSONB)))
        .join(Step, ToolCall.step_id == Step.id)
        .where(Step.run_id == run.c.run_id)
        .scalar_subquery()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finished(StoredIds):
    prompt_tokens: int
    completion_tokens: int
    duration_ms: int
    frees_slot: bool
    creation_date: datetime | None
    last_update: datetime | None
    parent_message_id: int | None


def _finish() -> Query[_Finished]:
    # A send locks the session and then waits for its run, so the session comes first here too, where it is written to.
    session_id = bindparam("session_id", type_=ChatSession.id.type)
    locked = (
        select(ChatSession.id)
        .where(ChatSession.id == session_id, bindparam("writes_session", type_=Boolean))
        .with_for_update(key_share=True)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    run = fenced(
        Run.user_id,
        Run.steps_executed,
        Run.prompt_tokens,
        Run.completion_tokens,
        Run.duration_ms,
        where=[select(func.count()).select_from(locked).scalar_subquery() >= 0],
        status=bindparam("status"),
        completed_at=func.now(),
        error=bindparam("error", type_=JSONB),
        llm_id=bindparam("llm_id"),
        control_requested=None,
        cost=func.coalesce(Run.cost, 0) + bindparam("cost"),
        seconds_spent=func.greatest(Run.seconds_spent, bindparam("seconds")),
        final_output=bindparam("final_output", type_=JSONB),
        result_summary=bindparam("result_summary"),
        tainted=Run.tainted | bindparam("tainted", type_=Boolean),
        steps_executed=Run.steps_executed + bindparam("steps_executed"),
        pending_input=null(),
        prompt_tokens=Run.prompt_tokens + bindparam("prompt_tokens"),
        completion_tokens=Run.completion_tokens + bindparam("completion_tokens"),
        duration_ms=cast(milliseconds_since(func.coalesce(Run.started_at, func.now())), BigInteger),
    )
    step = inserted_step(run)
    unfinished = (
        update(Step)
        .where(
            bindparam("cuts_off", type_=Boolean),
            Step.run_id == run.c.run_id,
            Step.status.in_(["pending", "running"]),
        )
        .values(
            status=bindparam("cut_off_status"),
            completed_at=func.now(),
            error_message=bindparam("error_message"),
            execution_duration_ms=milliseconds_since(Step.started_at),
        )
        .returning(Step.id, Step.status, Step.error_message)
        .cte("unfinished")
    )
    calls = (
        update(ToolCall)
        .where(ToolCall.step_id == unfinished.c.id, ToolCall.status.in_(["pending", "running"]))
        .values(
            status=unfinished.c.status,
            completed_at=func.now(),
            error_message=unfinished.c.error_message,
            execution_duration_ms=milliseconds_since(func.coalesce(ToolCall.started_at, func.now())),
        )
        .cte("calls")
    )
    all_steps = ChatSession.important_steps.op("||")(bindparam("important_steps", type_=JSONB))
    each = (
        func.jsonb_array_elements(all_steps).table_valued("step", with_ordinality="place").render_derived(name="each")
    )
    newest = (
        select(func.coalesce(func.jsonb_agg(aggregate_order_by(each.c.step, each.c.place)), cast([], JSONB)))
        .where(each.c.place > func.jsonb_array_length(all_steps) - _IMPORTANT_STEPS)
        .correlate(ChatSession)
        .scalar_subquery()
    )
    session = (
        update(ChatSession)
        .where(exists_in(run), ChatSession.id == locked.c.id)
        .values(
            important_steps=newest,
            status=func.coalesce(bindparam("session_status", type_=Text), ChatSession.status),
        )
        .cte("session")
    )
    message = (
        update(ChatMessage)
        .where(exists_in(run), ChatMessage.id == bindparam("message_id"))
        .values(
            content=bindparam("content"),
            token_count=bindparam("token_count"),
            status=bindparam("message_status"),
            error=bindparam("message_error"),
            rephrased_query=bindparam("rephrased_query"),
            retrieval_context=bindparam("retrieval_context", type_=JSONB),
            tool_calls=calls_of(run),
        )
        .returning(ChatMessage.creation_date, ChatMessage.last_update, ChatMessage.parent_message_id)
        .cte("message")
    )
    cited = (
        ChatMessageDocument.number,
        ChatMessageDocument.title,
        ChatMessageDocument.chunk_id,
        ChatMessageDocument.relevance_score,
        ChatMessageDocument.snippet,
        ChatMessageDocument.supported,
        ChatMessageDocument.page,
        ChatMessageDocument.sentence_start,
        ChatMessageDocument.sentence_end,
        ChatMessageDocument.chunking_session,
        ChatMessageDocument.span_start,
        ChatMessageDocument.span_end,
    )
    new = json_rows("citations", ChatMessageDocument.document_id, *cited)
    # The document may be removed by now.
    document_id = select(Document.id).where(Document.id == new.c.document_id).scalar_subquery()
    citations = (
        insert(ChatMessageDocument)
        .from_select(
            [ChatMessageDocument.chat_message_id, ChatMessageDocument.document_id, *cited],
            select(
                bindparam("message_id", type_=ChatMessage.id.type),
                document_id,
                *(new.c[column.key] for column in cited),
            ).join_from(run, new, true()),
        )
        .cte("citations")
    )
    stored = stored_events(run, given_events())
    return Query(
        select(
            stored,
            run.c.prompt_tokens,
            run.c.completion_tokens,
            run.c.duration_ms,
            person_waits(run.c.user_id).label("frees_slot"),
            message,
        )
        .select_from(stored.join(run, true()).outerjoin(message, true()))
        .add_cte(step, unfinished, calls, session, citations),
        _Finished,
    )


_FINISH: Final = _finish()
_MESSAGE_STATUS: dict[str, tuple[MessageStatus, chat_message_pb2.MessageStatus.ValueType]] = {
    "completed": ("completed", chat_message_pb2.MESSAGE_STATUS_COMPLETED),
    "cancelled": ("cancelled", chat_message_pb2.MESSAGE_STATUS_CANCELLED),
    "failed": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
    "timeout": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
}


async def finish(log: EventLog, lease: RunLease, answer: Answer, ending: Ending, step: NewStep | None = None) -> None:
    """Ends a run in one transaction: its state, its message with the citations, its last step and the final event.

    A parent that need not wait any more is queued by it, and workers are woken for what it makes room for.

    Args:
        log: The event log.
        lease: The run.
        answer: What the message becomes; a run below another one has none.
        ending: How it ends.
        step: The step that wrote the answer; None when the run ended between steps.

    Raises:
        LeaseLostError: The run is not this worker's any more, or has ended: the first final state wins.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_FINAL, text=ending.text)
    event.finished.status = run_status(ending.status)
    if ending.error:
        event.finished.error.reason = ending.error["reason"]
        event.finished.error.message = ending.error["message"]
    values = _values(lease, answer, ending, step)
    fill = partial(_fill, event, lease, answer, _MESSAGE_STATUS[ending.status][1])
    if lease.run.is_root:
        row = await append_fenced(log, _FINISH, lease, [event], fill=fill, **values)
    else:
        async with ending_run(log, lease.run_id) as transaction:
            row = await append_fenced(transaction, _FINISH, lease, [event], fill=fill, **values)
    if row.frees_slot:
        await wake_worker(log)


def _values(lease: RunLease, answer: Answer, ending: Ending, step: NewStep | None) -> dict[str, Any]:
    message_id = lease.run.message_id
    return {
        "session_id": lease.session_id,
        "writes_session": bool(ending.important_steps or ending.session_status),
        "important_steps": ending.important_steps or [],
        "session_status": ending.session_status,
        "status": ending.status,
        "error": ending.error,
        "error_message": ending.error["message"] if ending.error else None,
        "cuts_off": ending.status != "completed",
        "cut_off_status": "timeout" if ending.status == "timeout" else "cancelled",
        "llm_id": lease.run.model.id if lease.run.model else None,
        "cost": ending.cost,
        "seconds": ending.seconds,
        "tainted": ending.tainted,
        "final_output": ending.final_output or {"messageId": str(message_id)},
        "result_summary": ending.result_summary,
        "step": step_record(step),
        "steps_executed": 1 if step else 0,
        "prompt_tokens": step.prompt_tokens if step else 0,
        "completion_tokens": step.completion_tokens if step else 0,
        "message_id": message_id,
        "message_status": _MESSAGE_STATUS[ending.status][0],
        "content": answer.content,
        "token_count": answer.token_count,
        "message_error": answer.error or None,
        "rephrased_query": answer.rephrased_query or None,
        "retrieval_context": answer.retrieval_context,
        "citations": [_citation_record(citation) for citation in answer.citations] if message_id else [],
    }


def _citation_record(citation: NewCitation) -> dict[str, Any]:
    record = asdict(citation)
    record["relevance_score"] = record.pop("score")
    return record


def _fill(
    event: SessionEvent,
    lease: RunLease,
    answer: Answer,
    status: chat_message_pb2.MessageStatus.ValueType,
    row: _Finished,
) -> None:
    """Completes the published event with the run's totals and its message, which replay reads from their rows."""
    finished = event.finished
    finished.prompt_tokens = row.prompt_tokens
    finished.completion_tokens = row.completion_tokens
    finished.duration_ms = row.duration_ms
    if lease.run.message_id is None or row.creation_date is None:
        return
    message = finished.message
    message.id = lease.run.message_id
    message.chat_session_id = lease.session_id
    message.role = chat_message_pb2.MESSAGE_ROLE_ASSISTANT
    message.status = status
    message.content = answer.content
    message.token_count = answer.token_count
    message.error = answer.error
    message.rephrased_query = answer.rephrased_query
    message.run_id = str(lease.run_id)
    if row.parent_message_id:
        message.parent_message_id = row.parent_message_id
    message.creation_date.FromDatetime(row.creation_date)
    if row.last_update:
        message.last_update.FromDatetime(row.last_update)
    for citation in answer.citations:
        message.citations.add(**{key: value for key, value in asdict(citation).items() if value is not None})
