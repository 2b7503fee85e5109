"""Search in a user's own conversations, by words of their titles and messages.

The search text of a conversation is updated when its owner searches: only for conversations that have changed since,
so that asking costs nothing. The index contains the owner together with the text's trigrams, so a search reads only the
owner's matches, however much others have written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

import asyncpg
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Integer,
    Text,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert

from echomind_lib.access import Principal, chat_sessions
from echomind_lib.access.rule import Rule
from echomind_lib.db.models.chat import ChatMessage, ChatSession, ChatSessionText
from echomind_lib.db.models.runs import Run
from echomind_lib.db.patterns import pattern_of
from echomind_lib.db.pool import planned_for_values
from echomind_lib.db.statements import Command, Query

WORDS: Final = 8
"""Maximum number of words of a query."""
_SEPARATOR: Final = "\n"
"""Between title and messages; no word contains it, so no match spans two of them."""
_LATE: Final = timedelta(minutes=1)
"""Maximum delay between a change's timestamp and its commit; text indexed within it is indexed again."""
_BEFORE, _EXCERPT = 40, 160
"""Characters of an excerpt before the word, and in total."""
_NEWEST: Final = func.coalesce(ChatSession.last_message_at, ChatSession.creation_date)
_OWN: Final = chat_sessions("manage")
_OF_OWNER: Final = Rule(_OWN.ways)
"""Its index finds the texts; limits of API keys are on the sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """A conversation that contains all words."""

    id: int
    newest: datetime
    """When its newest message was stored; with `id`, its position in the order."""
    message_id: int | None
    """Its newest message that contains one of the words; None if only the title does."""
    excerpt: str | None
    """A part of the message around the word."""


def _folded(text: Any) -> ColumnElement[Any]:
    """Returns a text with Unicode case folding, independent of the database's locale."""
    return func.casefold(text.collate("pg_unicode_fast"), type_=Text)


def _refresh() -> Command:
    messages = (
        select(func.string_agg(ChatMessage.content, aggregate_order_by(literal(_SEPARATOR), ChatMessage.id)))
        .where(ChatMessage.chat_session_id == ChatSession.id)
        .correlate(ChatSession)
        .scalar_subquery()
    )
    changed = func.greatest(ChatSession.creation_date, ChatSession.last_update, Run.completed_at)
    current = (
        select(
            ChatSession.id,
            ChatSession.user_id,
            _folded(func.concat_ws(_SEPARATOR, ChatSession.title, ChatSession.generated_title, messages)),
            func.now(),
        )
        .outerjoin(ChatSessionText, ChatSessionText.chat_session_id == ChatSession.id)
        .outerjoin(Run, Run.id == ChatSession.most_recent_run_id)
        .where(
            _OWN.where(ChatSession),
            ChatSession.deleted_date.is_(None),
            ~ChatSession.unlisted,
            or_(ChatSessionText.indexed_at.is_(None), changed > ChatSessionText.indexed_at - _LATE),
        )
    )
    new = insert(ChatSessionText).from_select(["chat_session_id", "user_id", "text", "indexed_at"], current)
    return Command(
        new.on_conflict_do_update(
            index_elements=[ChatSessionText.chat_session_id],
            set_={"text": new.excluded.text, "indexed_at": new.excluded.indexed_at},
        )
    )


_REFRESH: Final = _refresh()


@cache
def found_sessions(words: int, *, is_first: bool) -> Query[FoundSession]:
    """Returns the statement that selects a page of conversations that contain this number of words.

    Its parameters are the words `word0`, ... and their LIKE patterns `pattern0`, ...

    Args:
        words: Number of words; each gets a condition, as the index does not support LIKE ALL on an array.
        is_first: Whether it is the first page.
    """
    patterns = [_folded(bindparam(f"pattern{number}", type_=Text)) for number in range(words)]
    found = (
        select(ChatSession.id, _NEWEST.label("newest"))
        .join(
            ChatSessionText,
            and_(ChatSessionText.chat_session_id == ChatSession.id, ChatSessionText.user_id == ChatSession.user_id),
        )
        .where(
            _OF_OWNER.where(ChatSessionText),
            _OWN.where(ChatSession),
            ChatSession.deleted_date.is_(None),
            ~ChatSession.unlisted,
            *(ChatSessionText.text.like(pattern) for pattern in patterns),
        )
        .order_by(_NEWEST.desc(), ChatSession.id.desc())
        .limit(bindparam("limit", type_=Integer))
    )
    if not is_first:
        position = tuple_(
            bindparam("newest", type_=DateTime(timezone=True)),
            bindparam("last_id", type_=Integer),
        )
        found = found.where(tuple_(_NEWEST, ChatSession.id) < position)
    page = found.cte("page").prefix_with("MATERIALIZED")
    content = _folded(ChatMessage.content)
    places = [
        func.nullif(func.strpos(content, _folded(bindparam(f"word{number}", type_=Text))), 0) for number in range(words)
    ]
    begin = func.greatest(func.least(*places) - _BEFORE, 1)
    message = (
        select(
            ChatMessage.id.label("message_id"),
            func.substr(ChatMessage.content, begin, _EXCERPT).label("excerpt"),
        )
        .where(ChatMessage.chat_session_id == page.c.id, or_(*(content.like(pattern) for pattern in patterns)))
        .order_by(ChatMessage.id.desc())
        .limit(1)
        .lateral("message")
    )
    return Query(
        select(page.c.id, page.c.newest, message.c.message_id, message.c.excerpt)
        .select_from(page.outerjoin(message, true()))
        .order_by(page.c.newest.desc(), page.c.id.desc()),
        FoundSession,
    )


async def search_sessions(
    pool: asyncpg.Pool, reader: Principal, words: Sequence[str], limit: int, after: tuple[datetime, int] | None
) -> list[FoundSession]:
    """Returns a user's conversations that contain all words, the one with the newest message first.

    Args:
        pool: The database.
        reader: The person.
        words: The words, at most `WORDS`; they also match within longer words, ignoring case.
        limit: Maximum number of conversations.
        after: The sort position of the previous page's last one; None for the first page.
    """
    values: dict[str, Any] = {f"word{number}": word for number, word in enumerate(words)}
    values |= {f"pattern{number}": pattern_of(word) for number, word in enumerate(words)}
    if after:
        values["newest"], values["last_id"] = after
    else:
        await _REFRESH.execute(pool, **_OWN.values(reader))
    query = found_sessions(len(words), is_first=after is None)
    # Words decide whether the index of words or the one of people is cheaper.
    async with planned_for_values(pool) as connection:
        return await query.fetch_all(connection, **_OWN.values(reader), limit=limit, **values)
