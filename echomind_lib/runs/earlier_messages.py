"""The messages before a run's question, from which its prompt has the earlier turns."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, Integer, Select, and_, bindparam, case, func, literal_column, or_, select
from sqlalchemy.orm import aliased

from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import MessageRole

DEFAULT_HISTORY_RUNS: Final = 5
"""Default number of earlier runs in a prompt."""
MAX_COUNTED: Final = 200
"""Maximum number of messages to count, so that the cost of a question does not grow with its session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierMessage:
    """A message before a question."""

    id: int
    role: MessageRole
    run_id: UUID | None
    counts: bool
    """Whether it has text and is not excluded."""
    discarded: bool
    is_own: bool
    """Whether the asker has written it."""
    content: str | None
    """None if it was not read."""
    tokens: int


def _branch(question_id: Any, max_counted: Any, summarized_to: Any) -> CTE:
    """Returns the messages from the question upwards, at least to the last summarized one, with descending ids."""
    top = (
        select(ChatMessage.id, ChatMessage.parent_message_id, literal_column("0", Integer).label("position"))
        .where(ChatMessage.id == question_id)
        .cte("branch", recursive=True, nesting=True)
    )
    above = aliased(ChatMessage, name="above")
    goes_further = or_(top.c.position < max_counted, top.c.id > summarized_to)
    return top.union_all(
        select(above.id, above.parent_message_id, top.c.position + 1)
        .join(top, above.id == top.c.parent_message_id)
        .where(goes_further)
    )


def select_earlier(
    question_id: ColumnElement[int],
    user_id: ColumnElement[int],
    max_whole: Any,
    max_counted: Any,
    summarized_to: ColumnElement[int],
) -> Select[Any]:
    """Selects the messages above a question, with `position` from the newest; only `max_whole` that count have text.

    Args:
        question_id: The question.
        user_id: Its asker.
        max_whole: Maximum number of messages with text.
        max_counted: Number of messages to go back at least.
        summarized_to: The last summarized message; the largest id for none.
    """
    branch = _branch(question_id, max_counted, summarized_to)
    message = (
        select(
            ChatMessage.id,
            branch.c.position,
            ChatMessage.role,
            func.coalesce(ChatMessage.run_id, ChatMessage.origin_run_id).label("run_id"),
            and_(~ChatMessage.discarded, ChatMessage.content != "").label("counts"),
            ChatMessage.discarded,
            is_written_by(ChatMessage, user_id).label("is_own"),
            ChatMessage.content,
            ChatMessage.token_count,
        )
        .join(branch, ChatMessage.id == branch.c.id)
        .where(branch.c.position > 0)
        .subquery("message")
    )
    numbered = select(
        message, func.count().filter(message.c.counts).over(order_by=message.c.position).label("number")
    ).subquery("numbered")
    is_whole = and_(numbered.c.counts, numbered.c.number <= max_whole)
    estimate = func.octet_length(numbered.c.content, type_=Integer) // 4
    tokens = func.coalesce(func.nullif(numbered.c.token_count, 0), estimate)
    return select(
        *columns(EarlierMessage, numbered, content=case((is_whole, numbered.c.content)), tokens=tokens),
        numbered.c.position,
    )


def _earlier_messages() -> Query[EarlierMessage]:
    names = ("question_id", "user_id", "max_whole", "max_counted", "summarized_to")
    earlier = select_earlier(*map(bindparam, names)).subquery("earlier")
    return Query(select(*columns(EarlierMessage, earlier)).order_by(earlier.c.position), EarlierMessage)


EARLIER_MESSAGES = Query.deferred(_earlier_messages)
"""Selects the messages above a question, newest first; its parameters are those of `select_earlier`."""
