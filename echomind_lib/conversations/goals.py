"""Checks that a goal's assistant has a generative model: the built-in model only quotes, and cannot pursue goals."""

from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import BigInteger, ColumnElement, Integer, bindparam, desc, nulls_last, or_, select

from echomind_lib.access.assistant_choice import chosen, limits_of, usable_llm
from echomind_lib.access.principal import KeyLimits
from echomind_lib.db.models.catalog import Assistant, Llm
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.db.words import LlmProvider
from echomind_lib.errors import LlmUnavailableError

GOAL_REFUSED: Final = (
    "The built-in model answers questions by quoting your documents and cannot work towards a goal. Choose an "
    "assistant with a chat model, or ask a question."
)
"""The reason for refusing a goal, shown to users."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    assistant_id: int
    provider: LlmProvider | None


def _model_of(assistant_id: Any) -> Query[_Model]:
    """Returns a statement that selects the answering model's kind: of the requested, assistant's or default one."""
    is_requested: ColumnElement[bool] = Llm.id == bindparam("llm_id", type_=Integer)
    is_own: ColumnElement[bool] = Llm.id == Assistant.llm_id
    provider = (
        select(Llm.provider)
        .where(usable_llm(), or_(is_requested, is_own, Llm.is_default))
        .order_by(desc(is_requested), nulls_last(desc(is_own)))
        .limit(1)
        .scalar_subquery()
    )
    return Query(
        select(Assistant.id.label("assistant_id"), provider.label("provider")).where(
            Assistant.id == assistant_id, Assistant.deleted_date.is_(None)
        ),
        _Model,
    )


_of_person = ChatSession.user_id == bindparam("user_id", type_=Integer)
_CHOSEN: Final = _model_of(
    chosen(
        bindparam("user_id", type_=Integer), bindparam("assistant_id", type_=BigInteger), limited=True
    ).scalar_subquery()
)
_OF_SESSION: Final = _model_of(
    select(ChatSession.assistant_id)
    .where(ChatSession.id == bindparam("session_id", type_=Integer), _of_person)
    .scalar_subquery()
)
_OF_MESSAGE: Final = _model_of(
    select(ChatSession.assistant_id)
    .join(ChatMessage, ChatMessage.chat_session_id == ChatSession.id)
    .where(ChatMessage.id == bindparam("message_id", type_=BigInteger), _of_person)
    .scalar_subquery()
)


async def check_assistant(
    pool: asyncpg.Pool, user_id: int, assistant_id: int, llm_id: int, limits: KeyLimits | None = None
) -> None:
    """Raises `LlmUnavailableError` if an assistant (0: the user's default one) cannot pursue a goal.

    `llm_id` is the requested model, here and below; 0 means the assistant's.
    """
    given = {"user_id": user_id, "assistant_id": assistant_id, "llm_id": llm_id}
    _require_chat_model(await _CHOSEN.fetch_one(pool, **given, **limits_of(limits)))


async def check_session(pool: asyncpg.Pool, user_id: int, session_id: int, llm_id: int) -> None:
    """Raises `LlmUnavailableError` if the assistant of a user's session cannot pursue a goal."""
    _require_chat_model(await _OF_SESSION.fetch_one(pool, user_id=user_id, session_id=session_id, llm_id=llm_id))


async def check_session_of_message(pool: asyncpg.Pool, user_id: int, message_id: int, llm_id: int) -> None:
    """Raises `LlmUnavailableError` if the assistant of a message's session cannot pursue a goal."""
    _require_chat_model(await _OF_MESSAGE.fetch_one(pool, user_id=user_id, message_id=message_id, llm_id=llm_id))


def _require_chat_model(model: _Model | None) -> None:
    if model is not None and model.provider == "extractive":
        raise LlmUnavailableError(GOAL_REFUSED, assistant_id=model.assistant_id)
