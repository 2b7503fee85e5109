"""Sessions by the IDs that programs give them, which are unique among the sessions of one person."""

from typing import Final

import asyncpg
from sqlalchemy import Integer, Text, bindparam, select, update

from echomind_lib.conversations.questions import FirstQuestion, NextQuestion
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Command, Query

_is_named = (
    ChatSession.user_id == bindparam("user_id", type_=Integer),
    ChatSession.external_id == bindparam("external_id", type_=Text),
)
_SESSION: Final = Query(select(ChatSession.id).where(*_is_named, ChatSession.deleted_date.is_(None)), int)
_ALSO_REMOVED: Final = Query(select(ChatSession.id).where(*_is_named), int)
_FORGET_REMOVED: Final = Command(
    update(ChatSession).where(*_is_named, ChatSession.deleted_date.is_not(None)).values(external_id=None)
)


async def find_named(pool: asyncpg.Pool, user_id: int, external_id: str) -> int | None:
    """Returns a person's session with an external ID; None if there is none.

    A removed session loses the ID, so that a new one can have it.
    """
    named = {"user_id": user_id, "external_id": external_id}
    session_id = await _SESSION.fetch_one(pool, **named)
    if session_id is None:
        await _FORGET_REMOVED.execute(pool, **named)
    return session_id


async def find_even_removed(pool: asyncpg.Pool, user_id: int, external_id: str) -> int | None:
    """Returns a person's session with an external ID, also one that they have removed; None if there is none."""
    return await _ALSO_REMOVED.fetch_one(pool, user_id=user_id, external_id=external_id)


async def in_known_session(pool: asyncpg.Pool, question: FirstQuestion) -> FirstQuestion | NextQuestion:
    """Returns a question in the asker's session with its external ID; unchanged if there is none, or it has no ID."""
    if not question.external_id:
        return question
    session_id = await find_named(pool, question.user_id, question.external_id)
    if session_id is None:
        return question
    return NextQuestion(
        user_id=question.user_id,
        session_id=session_id,
        content=question.content,
        document_ids=question.document_ids,
        request_id=question.request_id,
        options=question.options,
        caller=question.caller,
        metadata=question.metadata,
        run_external_id=question.run_external_id,
        limits=question.limits,
        api_key_id=question.api_key_id,
        rates=question.rates,
    )
