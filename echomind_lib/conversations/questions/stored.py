"""Stored questions, and queries that find one by its run or its request."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Double, Select, Uuid, and_, bindparam, cast, false, func, null, select, union_all
from sqlalchemy.orm import aliased

from echomind_lib.conversations.questions.positions import REQUEST_ID, USER_ID
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.db.words import AuthorKind, RunStatus
from echomind_lib.events.statements import StoredIds


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion(StoredIds):
    """A stored question with its answer, and the settings of the run that writes the answer."""

    run_id: UUID
    assistant_id: int
    assistant_version: int | None
    """None for a draft."""
    parent_message_id: int | None
    user_message_id: int
    assistant_message_id: int
    author_kind: AuthorKind
    """Who wrote the question, which may be copied from another person's session."""
    content: str
    token_count: int
    document_ids: list[int]
    """Attached documents."""
    asked_at: datetime
    """When the question was stored."""
    status: RunStatus
    goal: str | None
    auto_run: bool
    ask_clarifications: bool
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None
    max_depth: int
    creation_date: datetime
    """When the run and its answer were stored."""
    is_new: bool
    """Whether this statement stored it; otherwise the event columns of `StoredIds` are NULL."""


RUN_COLUMNS: Final = (
    Run.status,
    Run.goal,
    Run.auto_run,
    Run.ask_clarifications,
    Run.max_steps,
    Run.timeout_seconds,
    Run.max_run_tokens,
    cast(Run.max_cost, Double).label("max_cost"),
    Run.max_depth,
    Run.creation_date,
)
"""The columns of a run that a stored question has."""


def _find(*conditions: ColumnElement[bool]) -> Query[StoredQuestion]:
    """Returns a statement that selects a question with its answer by the run."""
    question, answer = aliased(ChatMessage, name="question"), aliased(ChatMessage, name="answer")
    return Query(
        select(
            Run.chat_session_id,
            Run.id.label("run_id"),
            null().label("event_ids"),
            null().label("event_time"),
            null().label("previous_event_id"),
            null().label("member"),
            Run.assistant_id,
            Run.assistant_version,
            question.parent_message_id,
            question.id.label("user_message_id"),
            answer.id.label("assistant_message_id"),
            question.author_kind,
            question.content,
            func.coalesce(question.token_count, 0).label("token_count"),
            question.document_ids,
            question.creation_date.label("asked_at"),
            *RUN_COLUMNS,
            false().label("is_new"),
        )
        .join(answer, and_(answer.run_id == Run.id, answer.role == "assistant"))
        .join(question, question.id == answer.parent_message_id)
        .join(ChatSession, and_(ChatSession.id == Run.chat_session_id, ChatSession.deleted_date.is_(None)))
        .where(*conditions)
        .limit(1),
        StoredQuestion,
    )


def _root_of(runs: Select[Any]) -> Select[Any]:
    """Returns the root runs of runs, as questions are answered by root runs."""
    above = select(Run.id, Run.parent_run_id).where(Run.id.in_(runs)).cte("above", recursive=True)
    above = above.union_all(select(Run.id, Run.parent_run_id).join(above, Run.id == above.c.parent_run_id))
    return select(above.c.id).where(above.c.parent_run_id.is_(None))


_answered_with_request = (
    select(Step.run_id)
    .join(ToolCall, ToolCall.step_id == Step.id)
    .where(ToolCall.user_id_last_update == USER_ID, ToolCall.request_id == REQUEST_ID)
)
_begun_with_request = select(Run.id).where(Run.user_id == USER_ID, Run.request_id == REQUEST_ID)
FIND_BY_RUN: Final = Query.deferred(lambda: _find(Run.id.in_(_root_of(select(bindparam("run_id", type_=Uuid))))))
"""Selects the question of a run or of its root."""
FIND_BY_REQUEST: Final = Query.deferred(
    lambda: _find(Run.id.in_(union_all(_begun_with_request, _root_of(_answered_with_request))))
)
"""Selects the question whose run, or a sub-run of it, was started or answered with an idempotency key."""
