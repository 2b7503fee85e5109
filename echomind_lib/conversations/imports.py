"""Conversations of other programs, stored as sessions in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import asyncpg
from sqlalchemy import TIMESTAMP, BigInteger, Boolean, Integer, Text, bindparam, func, insert, literal, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as insert_or_nothing

from echomind_lib.access.assistant_choice import chosen
from echomind_lib.conversations.questions.positions import USER_ID, usual_options
from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.db.words import AuthorKind, MessageRole, MessageStatus

_COLUMNS: Final = (
    ChatMessage.id,
    ChatMessage.parent_message_id,
    ChatMessage.role,
    ChatMessage.author_kind,
    ChatMessage.status,
    ChatMessage.content,
    ChatMessage.creation_date,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be stored."""

    parent: int | None
    """Position of the message before it, which is earlier in the list."""
    role: MessageRole
    author_kind: AuthorKind
    status: MessageStatus
    content: str
    creation_date: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """A conversation to be stored."""

    external_id: str
    """Unique among the sessions of its owner."""
    title: str
    created_at: datetime
    metadata: dict[str, str]
    is_archived: bool
    is_pinned: bool
    messages: Sequence[NewMessage]
    head: int
    """Position of the last message of the shown branch."""


_count = bindparam("count", type_=Integer)
_IDS: Final = Query(
    select(func.nextval("chat_messages_id_seq", type_=BigInteger)).select_from(
        func.generate_series(1, _count).table_valued("number")
    ),
    int,
)


def _import() -> Query[int]:
    assistant = chosen(USER_ID, literal(0, BigInteger)).subquery("chosen")
    columns: dict[str, Any] = {
        "user_id": USER_ID,
        "assistant_id": assistant.c.id,
        "external_id": bindparam("external_id", type_=Text),
        "title": bindparam("title", type_=Text),
        "title_origin": literal("person"),
        "creation_date": bindparam("created_at", type_=TIMESTAMP(timezone=True)),
        "metadata": bindparam("metadata", type_=JSONB),
        "archived": bindparam("archived", type_=Boolean),
        "pinned": bindparam("pinned", type_=Boolean),
        "head_message_id": bindparam("head_message_id", type_=BigInteger),
        "preferences": usual_options(),
        # Whoever made the file may have written anything into it.
        "context": literal({"untrusted": True}, JSONB),
    }
    session = (
        insert_or_nothing(ChatSession)
        .from_select(list(columns), select(*columns.values()).select_from(assistant))
        .on_conflict_do_nothing(
            index_elements=[ChatSession.user_id, ChatSession.external_id],
            index_where=ChatSession.external_id.is_not(None),
        )
        .returning(ChatSession.id)
        .cte("session")
    )
    given = json_rows("messages", *_COLUMNS)
    messages = (
        insert(ChatMessage)
        .from_select(
            [ChatMessage.chat_session_id, *_COLUMNS],
            select(session.c.id, *(given.c[column.key] for column in _COLUMNS)).join_from(session, given, true()),
        )
        .cte("messages")
    )
    return Query(select(session.c.id).add_cte(messages), int)


_IMPORT: Final = Query.deferred(_import)


async def store_import(pool: asyncpg.Pool, user_id: int, conversation: NewConversation) -> int | None:
    """Stores a conversation; returns the id of its session.

    Returns None if the person has a session with its external id, or may use no assistant.
    """
    ids = await _IDS.fetch_all(pool, count=len(conversation.messages))
    messages = [
        {
            "id": own_id,
            "parent_message_id": None if message.parent is None else ids[message.parent],
            "role": message.role,
            "author_kind": message.author_kind,
            "status": message.status,
            "content": message.content,
            "creation_date": message.creation_date.isoformat(),
        }
        for own_id, message in zip(ids, conversation.messages, strict=True)
    ]
    return await _IMPORT.fetch_one(
        pool,
        user_id=user_id,
        external_id=conversation.external_id,
        title=conversation.title,
        created_at=conversation.created_at,
        metadata=conversation.metadata,
        archived=conversation.is_archived,
        pinned=conversation.is_pinned,
        head_message_id=ids[conversation.head],
        messages=messages,
    )
