"""Model usage of a session outside of runs, for its summaries and title."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Integer, Numeric, bindparam, update

from echomind_lib.db.models import ChatSession
from echomind_lib.db.statements import Command, Connection
from echomind_lib.llms import Usage


def booked() -> dict[str, ColumnElement[Any]]:
    """Returns the new values of the columns of `chat_sessions`, for statements that book more; see `values`."""
    return {
        "summary_prompt_tokens": ChatSession.summary_prompt_tokens + bindparam("prompt_tokens", type_=BigInteger),
        "summary_completion_tokens": ChatSession.summary_completion_tokens
        + bindparam("completion_tokens", type_=BigInteger),
        "summary_cost": ChatSession.summary_cost + bindparam("cost", type_=Numeric),
    }


def values(usage: Usage, cost: Decimal) -> dict[str, Any]:
    """Returns the parameters of `booked`."""
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost": cost}


_BOOK: Final = Command(
    update(ChatSession).where(ChatSession.id == bindparam("session_id", type_=Integer)).values(booked())
)


async def add(connection: Connection, session_id: int, usage: Usage, cost: Decimal) -> None:
    """Adds the usage of a model request to its session's, even if the result is discarded.

    Args:
        connection: The database.
        session_id: The session.
        usage: The request's tokens.
        cost: Its price in US dollars; 0 if unknown.
    """
    await _BOOK.execute(connection, session_id=session_id, **values(usage, cost))
