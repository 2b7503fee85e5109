"""Content of share links: the messages of a session up to the shared answer, and the titles of their sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import asyncpg
from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    LargeBinary,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.sources import sources_publishable
from echomind_lib.conversations.branches import branch
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatSession, ChatSessionSource
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.sharing import InstallationSettings, SessionShare
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import AnswerBasis, AuthorKind, MessageRole, MessageStatus

_ACCESS_SECONDS: Final = timedelta(minutes=1)
"""Precision of `last_access_at`, so that a popular link is not written at each access."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedShare:
    """A valid link that its reader may open."""

    id: int
    chat_session_id: int
    assistant_id: int
    title: str
    head_message_id: int
    shared_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMessageRow:
    """A message as shown by a link."""

    role: MessageRole
    author_kind: AuthorKind
    content: str
    status: MessageStatus
    basis: AnswerBasis | None
    creation_date: datetime
    citations: list[dict[str, Any]]
    """Each source once, ordered by number, with the fields of `SharedCitation`."""


def is_publishable(session: Any, owner: Any) -> ColumnElement[bool]:
    """Returns the condition that a session may be shared: its owner is active, and may read all its sources.

    Args:
        session: `ChatSession` or an alias of it.
        owner: `User` or an alias of it, joined to the session.
    """
    return and_(owner.is_active, sources_publishable().where(ChatSessionSource.chat_session_id, session.id, owner))


def _open() -> Query[OpenedShare]:
    owner = aliased(User, name="owner")
    allowed = or_(
        InstallationSettings.link_sharing == "anyone",
        and_(InstallationSettings.link_sharing == "signed_in", bindparam("is_signed_in", type_=Boolean)),
    )
    return Query(
        select(
            SessionShare.id,
            SessionShare.chat_session_id,
            ChatSession.assistant_id,
            SessionShare.title,
            SessionShare.head_message_id,
            SessionShare.shared_at,
            SessionShare.expires_at,
        )
        .join(ChatSession, ChatSession.id == SessionShare.chat_session_id)
        .join(owner, and_(owner.id == SessionShare.user_id, owner.id == ChatSession.user_id))
        .join(InstallationSettings, true())
        .where(
            SessionShare.token_hash == bindparam("token_hash", type_=LargeBinary),
            SessionShare.revoked_at.is_(None),
            SessionShare.expires_at > func.now(),
            ChatSession.deleted_date.is_(None),
            allowed,
            is_publishable(ChatSession, owner),
        ),
        OpenedShare,
    )


OPEN_SHARE: Final = Query.deferred(_open)


def _messages() -> Query[SharedMessageRow]:
    shown = branch(bindparam("head_message_id", type_=BigInteger), literal(0))
    citation = aliased(ChatMessageDocument, name="citation")
    of_number = (
        select(citation.number, func.min(citation.title).label("title"))
        .where(citation.chat_message_id == ChatMessage.id, citation.document_id.is_not(None))
        .group_by(citation.number)
        .correlate(ChatMessage)
        .subquery("of_number")
    )
    listed = func.jsonb_build_object("number", of_number.c.number, "title", of_number.c.title)
    citations = select(func.jsonb_agg(aggregate_order_by(listed, of_number.c.number))).scalar_subquery()
    return Query(
        select(
            ChatMessage.role,
            ChatMessage.author_kind,
            ChatMessage.content,
            ChatMessage.status,
            ChatMessage.basis,
            ChatMessage.creation_date,
            func.coalesce(citations, literal([], JSONB)).label("citations"),
        )
        .join(shown, shown.c.id == ChatMessage.id)
        .where(ChatMessage.chat_session_id == bindparam("session_id", type_=Integer))
        .order_by(ChatMessage.id),
        SharedMessageRow,
    )


_MESSAGES: Final = Query.deferred(_messages)
_NOTE_ACCESS: Final = Command(
    update(SessionShare)
    .where(
        SessionShare.id == bindparam("share_id", type_=Integer),
        or_(SessionShare.last_access_at.is_(None), SessionShare.last_access_at < func.now() - _ACCESS_SECONDS),
    )
    .values(last_access_at=func.now())
)


async def open_share(pool: asyncpg.Pool, token_hash: bytes, *, is_signed_in: bool) -> OpenedShare | None:
    """Returns the link of a token, or None if it is not valid, for any reason.

    Args:
        pool: The database.
        token_hash: The SHA-256 of the token.
        is_signed_in: Whether the reader is signed in, which superadmins may require.
    """
    return await OPEN_SHARE.fetch_one(pool, token_hash=token_hash, is_signed_in=is_signed_in)


async def read_shared_messages(pool: asyncpg.Pool, share: OpenedShare) -> Sequence[SharedMessageRow]:
    """Returns the messages that a link shows, oldest first, and records the access."""
    await _NOTE_ACCESS.execute(pool, share_id=share.id)
    return await _MESSAGES.fetch_all(pool, session_id=share.chat_session_id, head_message_id=share.head_message_id)
