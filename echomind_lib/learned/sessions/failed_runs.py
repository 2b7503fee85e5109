"""Failed runs, from which lessons are extracted.

The end of such a run requests its job (`LEARN_FROM_RUN`) in the same transaction (`runs.finish`). Runs that were
cancelled, failed at their provider, or were interrupted by EchoMind teach nothing about their task.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import Text, Uuid, and_, bindparam, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.access.memory import memory_is_on
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models import ChatMessage, ChatSession, Llm, Run, Step, ToolCall, User
from echomind_lib.db.statements import Query
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import model_part

TEACHING_REASONS: Final = frozenset({"GOAL_NOT_REACHED", "MAX_STEPS", "MAX_TOKENS", "MAX_COST", "TIMEOUT"})
"""Reasons of `runs.error` that concern the task, rather than a provider, a server or a person."""
_MAX_CALLS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRun:
    """A root run that failed its task."""

    id: UUID
    user_id: int
    chat_session_id: int
    assistant_id: int
    task: str
    reason: str
    error: str
    answer: str
    """The text of its answer."""
    model: LlmRecord | None
    """The model that it used; None if it can no longer be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCall:
    """A tool call of a run."""

    tool_name: str
    status: str
    parameters: dict[str, Any]
    error_message: str


_run_id = bindparam("run_id", type_=Uuid)
_asked = aliased(ChatMessage, name="asked")
_READ: Final = Query(
    select(
        Run.id,
        Run.user_id,
        Run.chat_session_id,
        ChatSession.assistant_id,
        func.coalesce(Run.goal, Run.input).label("task"),
        func.coalesce(Run.error["reason"].as_string(), "").label("reason"),
        func.coalesce(Run.error["message"].as_string(), "").label("error"),
        func.coalesce(ChatMessage.content, "").label("answer"),
        *model_part("model", Llm),
    )
    .select_from(Run)
    .join(ChatSession, ChatSession.id == Run.chat_session_id)
    .join(User, User.id == Run.user_id)
    .join(ChatMessage, and_(ChatMessage.run_id == Run.id, ChatMessage.role == "assistant"))
    .join(_asked, _asked.id == ChatMessage.parent_message_id)
    .outerjoin(Llm, and_(Llm.id == Run.llm_id, usable_llm(Llm)))
    .where(
        Run.id == _run_id,
        Run.parent_run_id.is_(None),
        Run.status.in_(["failed", "timeout"]),
        ChatSession.deleted_date.is_(None),
        ChatSession.notebook_id.is_(None),
        ChatSession.user_id == Run.user_id,
        is_written_by(_asked, Run.user_id),
        User.is_active,
        memory_is_on(User, ChatSession),
    )
    .limit(1),
    FailedRun,
)
_CALLS: Final = Query(
    select(
        ToolCall.tool_name,
        ToolCall.status,
        func.coalesce(ToolCall.parameters, func.jsonb_build_object(), type_=JSONB).label("parameters"),
        func.coalesce(ToolCall.error_message, "", type_=Text).label("error_message"),
    )
    .join(Step, Step.id == ToolCall.step_id)
    .where(Step.run_id == _run_id)
    .order_by(ToolCall.id.desc())
    .limit(_MAX_CALLS),
    MadeCall,
)


async def read_failed(pool: asyncpg.Pool, run_id: UUID) -> FailedRun | None:
    """Returns a failed run to learn from; None if it did not fail, or learning from it is not allowed.

    It is not allowed in notebooks, while memory is switched off, and from the question of somebody else.
    """
    return await _READ.fetch_one(pool, run_id=run_id)


async def last_calls(pool: asyncpg.Pool, run_id: UUID) -> list[MadeCall]:
    """Returns the last tool calls of a run, in order."""
    return (await _CALLS.fetch_all(pool, run_id=run_id))[::-1]
