"""The end of a run that a worker executes: its outcome and its message. See `fence`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from echomind_lib import jobs
from echomind_lib.db.words import AnswerBasis, ChatSessionStatus, MessageStatus, RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.citation_rows import NewCitation, citation_record
from echomind_lib.runs.closing_questions import closing_questions
from echomind_lib.runs.fence import LeaseLostError, RunLease, append_fenced
from echomind_lib.runs.finish_statement import FinishRow, finish_statement
from echomind_lib.runs.parents import append_end
from echomind_lib.runs.queue import wake_worker
from echomind_lib.runs.states import run_status
from echomind_lib.runs.steps import NewStep, step_record


@dataclass(slots=True)
class Answer:
    """The answer that a run stores in its message."""

    content: str
    token_count: int
    error: str = ""
    basis: AnswerBasis | None = None
    """What the text stands on; None without text."""
    other_tools: Sequence[str] = ()
    """Names of the tools besides those of documents that it was written after."""
    rephrased_query: str = ""
    citations: list[NewCitation] = field(default_factory=list)
    retrieval_context: list[dict[str, Any]] = field(default_factory=list)
    memory_ids: Sequence[int] = ()
    """Memories in the run's prompt; their ids are stored already."""


@dataclass(slots=True)
class Ending:
    """The outcome of a run."""

    status: RunStatus
    """A final state."""
    text: str
    """The final event's text."""
    error: dict[str, str] | None = None
    """The run's error: `reason` and `message`, and where known `detail` and `retry_at` (ISO 8601)."""
    cost: float = 0.0
    """US dollars to add to the run's cost."""
    seconds: float = 0.0
    """Active seconds, excluding waiting."""
    first_token_ms: int | None = None
    """Milliseconds from its first claim until its model began to answer."""
    untrusted: bool = False
    """Whether the run has read untrusted text."""
    final_output: dict[str, Any] | None = None
    """For a run without a message: the answer as `text`, and the cited `sources`."""
    result_summary: str | None = None
    """A short form of the answer, for the parent run."""
    important_steps: list[dict[str, Any]] | None = None
    """Steps to mention to later runs of the session."""
    session_status: ChatSessionStatus | None = None
    """The new state of the session; None leaves it unchanged."""
    has_calls: bool = True
    """Whether the run may have called tools."""
    requests_title: bool = False
    """Whether to request a generated title for the session; only for root runs."""
    requests_lesson: bool = False
    """Whether to request a lesson from the run for its user; only for root runs that failed."""


_MESSAGE_STATUS: dict[str, tuple[MessageStatus, chat_message_pb2.MessageStatus.ValueType]] = {
    "completed": ("completed", chat_message_pb2.MESSAGE_STATUS_COMPLETED),
    "cancelled": ("cancelled", chat_message_pb2.MESSAGE_STATUS_CANCELLED),
    "failed": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
    "timeout": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
}

_BASES: dict[AnswerBasis, chat_message_pb2.AnswerBasis.ValueType] = {
    "sources": chat_message_pb2.ANSWER_BASIS_SOURCES,
    "no_source_found": chat_message_pb2.ANSWER_BASIS_NO_SOURCE_FOUND,
    "model_only": chat_message_pb2.ANSWER_BASIS_MODEL_ONLY,
    "other": chat_message_pb2.ANSWER_BASIS_OTHER,
}


async def finish(log: EventLog, lease: RunLease, answer: Answer, ending: Ending, step: NewStep | None = None) -> None:
    """Finishes a run in one transaction: status, message with citations, last step and final event.

    Queues a parent that no longer has to wait, and wakes workers for runs that may start now.

    Args:
        log: The event log.
        lease: The run.
        answer: The new content of the message; None for a sub-run.
        ending: The outcome.
        step: The step that wrote the answer; None if the run ended between steps.

    Raises:
        LeaseLostError: The worker no longer holds the run, or it has ended: the first final state wins.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_FINAL, text=ending.text)
    event.finished.status = run_status(ending.status)
    if ending.error:
        event.finished.error.reason = ending.error["reason"]
        event.finished.error.message = ending.error["message"]
        if retry_at := ending.error.get("retry_at"):
            event.finished.error.retry_at.FromDatetime(datetime.fromisoformat(retry_at))
    values = _values(lease, answer, ending, step)
    shape = {
        "cuts_off": ending.status != "completed",
        "writes_session": bool(ending.important_steps or ending.session_status),
        "has_calls": ending.has_calls or bool(answer.citations),
    }
    if shape["cuts_off"]:
        values |= _cutting_off(ending)
    if shape["writes_session"]:
        values |= _of_session(lease, ending)
    if shape["has_calls"]:
        cited = answer.citations if lease.run.message_id else []
        values["citations"] = [citation_record(citation) for citation in cited]
    fill = partial(_fill, event, lease, answer, _MESSAGE_STATUS[ending.status][1])
    if lease.run.is_root:
        statement = finish_statement(
            requests_title=ending.requests_title, requests_lesson=ending.requests_lesson, **shape
        )
        row = await append_fenced(log, statement, lease, [event], fill=fill, **values)
    else:
        values |= {"run_id": lease.run_id, "attempt": lease.attempt}
        event.member = lease.run.member_name
        ended = await append_end(log, finish_statement(is_sub_run=True, **shape), [event], fill=fill, **values)
        if ended is None:
            raise LeaseLostError
        row = ended
    if ending.requests_title:
        await jobs.wake(log.bus, jobs.TITLE_SESSION)
    if ending.requests_lesson:
        await jobs.wake(log.bus, jobs.LEARN_FROM_RUN)
    if row.frees_slot:
        await wake_worker(log)


def _cutting_off(ending: Ending) -> dict[str, Any]:
    return {
        "cut_off_status": "timeout" if ending.status == "timeout" else "cancelled",
        "error_message": ending.error["message"] if ending.error else None,
    }


def _of_session(lease: RunLease, ending: Ending) -> dict[str, Any]:
    return {
        "session_id": lease.session_id,
        "important_steps": ending.important_steps or [],
        "session_status": ending.session_status,
    }


def _values(lease: RunLease, answer: Answer, ending: Ending, step: NewStep | None) -> dict[str, Any]:
    message_id = lease.run.message_id
    return {
        "status": ending.status,
        "error": ending.error,
        "llm_id": lease.run.model.id if lease.run.model else None,
        "cost": ending.cost,
        "seconds": ending.seconds,
        "first_token_ms": ending.first_token_ms,
        "untrusted": ending.untrusted,
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
        "basis": answer.basis,
        "other_tools": list(answer.other_tools),
        "rephrased_query": answer.rephrased_query or None,
        "retrieval_context": answer.retrieval_context,
    }


def _fill(
    event: SessionEvent,
    lease: RunLease,
    answer: Answer,
    status: chat_message_pb2.MessageStatus.ValueType,
    row: FinishRow,
) -> None:
    """Adds the run's totals and its message to the published event; replay reads them from their rows."""
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
    message.author_kind = chat_message_pb2.AUTHOR_KIND_ASSISTANT
    message.status = status
    message.content = answer.content
    message.token_count = answer.token_count
    message.error = answer.error
    message.rephrased_query = answer.rephrased_query
    if answer.basis:
        message.basis = _BASES[answer.basis]
    message.other_tools.extend(answer.other_tools)
    message.run_id = str(lease.run_id)
    if row.parent_message_id:
        message.parent_message_id = row.parent_message_id
    message.memory_ids.extend(answer.memory_ids)
    message.suggested_questions.extend(closing_questions(answer.content))
    message.creation_date.FromDatetime(row.creation_date)
    if row.last_update:
        message.last_update.FromDatetime(row.last_update)
    for citation in answer.citations:
        message.citations.add(
            **{key: value for key, value in msgspec.to_builtins(citation).items() if value is not None}
        )
