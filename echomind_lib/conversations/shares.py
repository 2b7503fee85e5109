"""Content of shares: the messages of a session up to the shared answer, and their sources."""

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
    Select,
    and_,
    bindparam,
    case,
    false,
    func,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.shares import is_shared_with
from echomind_lib.access.sources import sources_publishable
from echomind_lib.conversations.branches import branch
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatSession, ChatSessionSource
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.sharing import InstallationSettings, SessionShare
from echomind_lib.db.statements import Command, Query, columns
from echomind_lib.db.words import AnswerBasis, AuthorKind, MessageRole, MessageStatus

_ACCESS_SECONDS: Final = timedelta(minutes=1)
"""Precision of `last_access_at`, so that a popular link is not written at each access."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedShare:
    """A valid share that its reader may open, or what one would show."""

    id: int
    chat_session_id: int
    assistant_id: int
    title: str
    head_message_id: int
    shows_quotes: bool
    shared_at: datetime
    expires_at: datetime
    shared_by: str
    """Name of its owner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMessageRow:
    """A message as shown by a share."""

    role: MessageRole
    author_kind: AuthorKind
    content: str
    status: MessageStatus
    basis: AnswerBasis | None
    used_other_tools: bool
    creation_date: datetime
    citations: list[dict[str, Any]]
    """Ordered by number and sentence, with `number`, `title` and the fields of `SharedPassage`."""


def is_publishable(session: Any, owner: Any) -> ColumnElement[bool]:
    """Returns the condition that a session may be shared: its owner is active, and may read all its sources.

    Args:
        session: `ChatSession` or an alias of it.
        owner: `User` or an alias of it, joined to the session.
    """
    return and_(owner.is_active, sources_publishable().where(ChatSessionSource.chat_session_id, session.id, owner))


_Share = Select[int, int, int, str, int, bool, datetime, datetime, Any]
"""A statement that selects the columns of `OpenedShare`, in their order."""


def _working(*conditions: ColumnElement[bool]) -> _Share:
    """Returns the statement of shares that work."""
    owner = aliased(User, name="owner")
    full_name = func.nullif(func.concat_ws(" ", owner.first_name, owner.last_name), "")
    return (
        select(
            SessionShare.id,
            SessionShare.chat_session_id,
            ChatSession.assistant_id,
            SessionShare.title,
            SessionShare.head_message_id,
            SessionShare.shows_quotes,
            SessionShare.shared_at,
            SessionShare.expires_at,
            func.coalesce(full_name, owner.user_name).label("shared_by"),
        )
        .join(ChatSession, ChatSession.id == SessionShare.chat_session_id)
        .join(owner, and_(owner.id == SessionShare.user_id, owner.id == ChatSession.user_id))
        .join(InstallationSettings, true())
        .where(
            SessionShare.revoked_at.is_(None),
            SessionShare.expires_at > func.now(),
            ChatSession.deleted_date.is_(None),
            is_publishable(ChatSession, owner),
            *conditions,
        )
    )


def received_shares(reader_id: int) -> _Share:
    """Returns the statement of what others share with a person and what they can open now."""
    return _working(InstallationSettings.link_sharing != "nobody", is_shared_with(reader_id))


def _by_link() -> Query[OpenedShare]:
    allowed = or_(
        InstallationSettings.link_sharing == "anyone",
        and_(InstallationSettings.link_sharing == "signed_in", bindparam("is_signed_in", type_=Boolean)),
    )
    return Query(_working(SessionShare.token_hash == bindparam("token_hash", type_=LargeBinary), allowed), OpenedShare)


def _by_name() -> Query[OpenedShare]:
    return Query(
        _working(
            SessionShare.id == bindparam("share_id", type_=Integer),
            InstallationSettings.link_sharing != "nobody",
            is_shared_with(bindparam("reader_id", type_=Integer)),
        ),
        OpenedShare,
    )


OPEN_SHARE: Final = Query.deferred(_by_link)
OPEN_RECEIVED_SHARE: Final = Query.deferred(_by_name)


def _messages() -> Query[SharedMessageRow]:
    shown = branch(bindparam("head_message_id", type_=BigInteger), literal(0))
    citation = aliased(ChatMessageDocument, name="citation")
    # Who may read a document of a source with permissions of its own can change there at any time, so its words never
    # go to people of whom the source knows nothing.
    is_page = citation.url != ""
    may_quote = and_(bindparam("shows_quotes", type_=Boolean), or_(is_page, Connector.permission_mode == "scope"))
    listed = func.jsonb_build_object(
        "number",
        citation.number,
        "title",
        citation.title,
        "page",
        citation.page,
        "sentence_start",
        func.coalesce(citation.sentence_start, 0),
        "sentence_end",
        func.coalesce(citation.sentence_end, 0),
        "supported",
        func.coalesce(citation.supported, false()),
        "quote",
        case((may_quote, citation.snippet), else_=""),
        "url",
        citation.url,
    )
    order = (citation.number, citation.sentence_start, citation.id)
    citations = (
        select(func.jsonb_agg(aggregate_order_by(listed, *order)))
        .select_from(citation)
        .outerjoin(Document, Document.id == citation.document_id)
        .outerjoin(Connector, Connector.id == Document.connector_id)
        .where(citation.chat_message_id == ChatMessage.id, or_(is_page, Connector.id.is_not(None)))
        .correlate(ChatMessage)
        .scalar_subquery()
    )
    return Query(
        select(
            *columns(
                SharedMessageRow,
                ChatMessage,
                used_other_tools=func.cardinality(ChatMessage.other_tools) > 0,
                citations=func.coalesce(citations, literal([], JSONB)),
            )
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


async def open_received_share(pool: asyncpg.Pool, share_id: int, reader_id: int) -> OpenedShare | None:
    """Returns a share of somebody else that is for a person or a group of theirs, or None if it is not, or not valid.

    Args:
        pool: The database.
        share_id: The share.
        reader_id: The person.
    """
    return await OPEN_RECEIVED_SHARE.fetch_one(pool, share_id=share_id, reader_id=reader_id)


async def note_access(pool: asyncpg.Pool, share: OpenedShare) -> None:
    """Records that a share was opened."""
    await _NOTE_ACCESS.execute(pool, share_id=share.id)


async def read_shared_messages(pool: asyncpg.Pool, share: OpenedShare) -> Sequence[SharedMessageRow]:
    """Returns the messages that a share shows, oldest first."""
    return await _MESSAGES.fetch_all(
        pool, session_id=share.chat_session_id, head_message_id=share.head_message_id, shows_quotes=share.shows_quotes
    )
