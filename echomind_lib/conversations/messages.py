"""Messages with their citations, as far as the reader may read what they cite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Integer,
    SQLColumnExpression,
    Uuid,
    and_,
    any_,
    bindparam,
    case,
    cast,
    column,
    false,
    func,
    literal,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_cited
from echomind_lib.access.rule import Reader
from echomind_lib.closing_questions import closing_questions
from echomind_lib.conversations.branches import branch
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatMessageFeedback, ChatSession
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.feedback import ChunkFeedback
from echomind_lib.db.statements import Query
from echomind_lib.db.words import MessageRole, MessageStatus
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """A message with its citations as one reader may see them."""

    id: int
    chat_session_id: int
    role: MessageRole
    status: MessageStatus
    content: str
    token_count: int | None
    parent_message_id: int | None
    rephrased_query: str | None
    memory_ids: list[int]
    error: str | None
    run_id: UUID | None
    creation_date: datetime
    last_update: datetime | None
    discarded: bool
    sibling_ids: list[int] | None
    """The messages beside it, itself among them; None when there are no others, or when they were not asked for."""
    citations: list[dict[str, Any]]
    """By number and place; each has the fields of `Citation` by their names."""
    attachments: list[dict[str, Any]]
    """In the order in which they were given; each has the fields of `Attachment` by their names."""
    retrieval_context: list[dict[str, Any]]
    """In the order in which they were found; each has the fields of `RetrievedPassage` by their names. Empty where
    details are not read."""
    tool_calls: list[dict[str, Any]]
    """As they are stored. Empty where details are not read."""
    is_positive: bool | None
    """The reader's rating; None for none."""
    feedback_text: str | None
    feedback_date: datetime | None


_reader_id = bindparam(Reader.ID.value, type_=Integer)
_is_shown = case(
    (ChatMessageDocument.document_id.is_(None), ChatSession.user_id == _reader_id),
    else_=func.coalesce(documents_cited().where(), false()),
)
"""A removed source stays readable for the conversation's owner; of one that the reader may not read (any more), only
number and place are shown."""
_memory_ids = case((ChatSession.user_id == _reader_id, ChatMessage.memory_ids), else_=cast([], ARRAY(Integer)))
"""Those that an answer was given: memories are their person's alone, and only in that person's own sessions."""
_CITATION: Final[dict[str, SQLColumnExpression[Any]]] = {
    "number": ChatMessageDocument.number,
    "document_id": ChatMessageDocument.document_id,
    "chunk_id": ChatMessageDocument.chunk_id,
    "title": case((_is_shown, ChatMessageDocument.title), else_=""),
    "snippet": case((_is_shown, ChatMessageDocument.snippet), else_=""),
    "score": func.coalesce(ChatMessageDocument.relevance_score, 0),
    "supported": func.coalesce(ChatMessageDocument.supported, false()),
    "page": ChatMessageDocument.page,
    "sentence_start": ChatMessageDocument.sentence_start,
    "sentence_end": ChatMessageDocument.sentence_end,
    "chunking_session": ChatMessageDocument.chunking_session,
    "span_start": ChatMessageDocument.span_start,
    "span_end": ChatMessageDocument.span_end,
    "feedback": case(
        (
            ChunkFeedback.value.is_not(None),
            func.jsonb_build_object(
                "is_positive",
                ChunkFeedback.value > 0,
                "feedback_text",
                func.coalesce(ChunkFeedback.feedback_text, ""),
                "creation_date",
                ChunkFeedback.creation_date,
            ),
        )
    ),
}


def _citations() -> ColumnElement[Any]:
    pairs: list[Any] = [part for name, column in _CITATION.items() for part in (name, column)]
    order = (ChatMessageDocument.number, ChatMessageDocument.sentence_start, ChatMessageDocument.id)
    citations = (
        select(func.jsonb_agg(aggregate_order_by(func.jsonb_build_object(*pairs), *order)))
        .select_from(ChatMessageDocument)
        .outerjoin(Document, and_(Document.id == ChatMessageDocument.document_id, Document.deleted_date.is_(None)))
        .outerjoin(Connector, and_(Connector.id == Document.connector_id, Connector.deleted_date.is_(None)))
        .outerjoin(
            ChunkFeedback,
            and_(
                ChunkFeedback.message_id == ChatMessageDocument.chat_message_id,
                ChunkFeedback.user_id == _reader_id,
                ChunkFeedback.chunk_id == ChatMessageDocument.chunk_id,
            ),
        )
        .where(ChatMessageDocument.chat_message_id == ChatMessage.id)
        .correlate(ChatMessage, ChatSession)
        .scalar_subquery()
    )
    return func.coalesce(citations, literal([], JSONB))


def _attachments() -> ColumnElement[Any]:
    attached = (
        func.unnest(ChatMessage.document_ids)
        .table_valued(column("id", BigInteger), with_ordinality="place")
        .render_derived(name="attached")
    )
    readable = (
        select(Document.id, Document.title, Document.content_type)
        .join(Connector, and_(Connector.id == Document.connector_id, Connector.deleted_date.is_(None)))
        .where(Document.id == attached.c.id, Document.deleted_date.is_(None), documents_cited().where())
        .lateral("readable")
    )
    attachment = func.jsonb_build_object(
        "document_id",
        attached.c.id,
        "title",
        func.coalesce(readable.c.title, ""),
        "content_type",
        func.coalesce(readable.c.content_type, ""),
    )
    attachments = (
        select(func.jsonb_agg(aggregate_order_by(attachment, attached.c.place)))
        .select_from(attached.outerjoin(readable, true()))
        .correlate(ChatMessage)
        .scalar_subquery()
    )
    return func.coalesce(attachments, literal([], JSONB))


def _retrieval_context() -> ColumnElement[Any]:
    found = (
        func.jsonb_array_elements(func.coalesce(ChatMessage.retrieval_context, literal([], JSONB)))
        .table_valued(column("passage", JSONB), with_ordinality="place")
        .render_derived(name="found")
    )
    document_id = cast(found.c.passage["documentId"].astext, BigInteger)
    readable = (
        select(Document.id, Document.title, found.c.passage["chunkId"].label("chunk_id"))
        .join(Connector, and_(Connector.id == Document.connector_id, Connector.deleted_date.is_(None)))
        .where(Document.id == document_id, Document.deleted_date.is_(None), documents_cited().where())
        .correlate(found)
        .lateral("readable")
    )
    passage = func.jsonb_build_object(
        "number",
        found.c.passage["number"],
        "document_id",
        readable.c.id,
        "title",
        readable.c.title,
        "chunk_id",
        readable.c.chunk_id,
        "score",
        found.c.passage["score"],
    )
    passages = (
        select(func.jsonb_agg(aggregate_order_by(func.jsonb_strip_nulls(passage), found.c.place)))
        .select_from(found.outerjoin(readable, true()))
        .correlate(ChatMessage)
        .scalar_subquery()
    )
    return func.coalesce(passages, literal([], JSONB))


def _siblings() -> ColumnElement[Any]:
    sibling = aliased(ChatMessage, name="sibling")

    def several(*conditions: ColumnElement[bool]) -> ColumnElement[Any]:
        found = select(func.array_agg(sibling.id)).where(*conditions).having(func.count() > 1)
        return found.correlate(ChatMessage).scalar_subquery()

    first = several(sibling.chat_session_id == ChatMessage.chat_session_id, sibling.parent_message_id.is_(None))
    later = several(sibling.parent_message_id == ChatMessage.parent_message_id)
    return case((ChatMessage.parent_message_id.is_(None), first), else_=later)


def _messages(
    *conditions: ColumnElement[bool], with_siblings: bool = True, with_details: bool = False
) -> Query[MessageRow]:
    """Returns a statement that reads messages by id."""
    nothing: ColumnElement[Any] = literal([], JSONB)
    called = func.coalesce(ChatMessage.tool_calls, nothing)
    siblings = _siblings() if with_siblings else cast(null(), ARRAY(BigInteger))
    return Query(
        select(
            ChatMessage.id,
            ChatMessage.chat_session_id,
            ChatMessage.role,
            ChatMessage.status,
            ChatMessage.content,
            ChatMessage.token_count,
            ChatMessage.parent_message_id,
            ChatMessage.rephrased_query,
            _memory_ids.label("memory_ids"),
            ChatMessage.error,
            ChatMessage.run_id,
            ChatMessage.creation_date,
            ChatMessage.last_update,
            ChatMessage.discarded,
            siblings.label("sibling_ids"),
            _citations().label("citations"),
            _attachments().label("attachments"),
            (_retrieval_context() if with_details else nothing).label("retrieval_context"),
            (called if with_details else nothing).label("tool_calls"),
            ChatMessageFeedback.is_positive,
            ChatMessageFeedback.feedback_text,
            ChatMessageFeedback.creation_date.label("feedback_date"),
        )
        .join(ChatSession, ChatSession.id == ChatMessage.chat_session_id)
        .outerjoin(
            ChatMessageFeedback,
            and_(ChatMessageFeedback.chat_message_id == ChatMessage.id, ChatMessageFeedback.user_id == _reader_id),
        )
        .where(ChatSession.deleted_date.is_(None), *conditions)
        .order_by(ChatMessage.id)
        .limit(bindparam("limit", type_=Integer)),
        MessageRow,
    )


_PAGE: Final = 500
_session_id = bindparam("session_id", type_=Integer)
_after = bindparam("after", type_=BigInteger)
_run_ids = bindparam("run_ids", type_=ARRAY(Uuid))


def _page_of_branch() -> ColumnElement[Any]:
    """Returns the ids of a page, which are found first, so that nothing but the page is read."""
    head = aliased(ChatSession, name="shown")
    messages = branch(select(head.head_message_id).where(head.id == _session_id).scalar_subquery(), _after)
    page = select(messages.c.id).order_by(messages.c.id).limit(bindparam("limit", type_=Integer))
    return func.array(page.scalar_subquery(), type_=ARRAY(BigInteger))


PAGE_OF_BRANCH: Final = _messages(ChatMessage.id == any_(_page_of_branch()))
"""A page of the branch that a session shows."""
_PAGE_OF_BRANCH_IN_FULL: Final = _messages(ChatMessage.id == any_(_page_of_branch()), with_details=True)
PAGE_OF_SESSION: Final = _messages(and_(ChatMessage.chat_session_id == _session_id, ChatMessage.id > _after))
"""A page of all messages of a session."""
_PAGE_OF_SESSION_IN_FULL: Final = _messages(
    and_(ChatMessage.chat_session_id == _session_id, ChatMessage.id > _after), with_details=True
)
_BY_ID: Final = _messages(ChatMessage.id == bindparam("message_id", type_=BigInteger), with_details=True)
_asked = aliased(ChatMessage, name="answer")
_OF_RUNS: Final = _messages(
    or_(
        ChatMessage.run_id == any_(_run_ids),
        ChatMessage.id.in_(select(_asked.parent_message_id).where(_asked.run_id == any_(_run_ids))),
    ),
    with_siblings=False,
)


_SESSION_ID: Final = Query(
    select(ChatMessage.chat_session_id).where(ChatMessage.id == bindparam("message_id", type_=BigInteger)), int
)


async def read_session_id(pool: asyncpg.Pool, message_id: int) -> int | None:
    """Returns the session of a message; None when there is no such message."""
    return await _SESSION_ID.fetch_one(pool, message_id=message_id)


async def list_messages(
    pool: asyncpg.Pool,
    reader: Principal,
    session_id: int,
    after: int,
    limit: int,
    *,
    all_branches: bool = False,
    with_details: bool = False,
) -> list[public.ChatMessage]:
    """Reads a page of a session's messages, oldest first.

    Args:
        pool: The database.
        reader: Whose rights decide what is shown of citations. Whether they may read the session is checked by the
            caller.
        session_id: The session.
        after: The last message of the page before; 0 for the first page.
        limit: Maximum number of results.
        all_branches: Whether to read the messages of all branches, not only the current one.
        with_details: Whether to read the found passages and called tools of answers as well.
    """
    if with_details:
        query = _PAGE_OF_SESSION_IN_FULL if all_branches else _PAGE_OF_BRANCH_IN_FULL
    else:
        query = PAGE_OF_SESSION if all_branches else PAGE_OF_BRANCH
    return await _read(query, pool, reader, limit, session_id=session_id, after=after)


async def read_branch(pool: asyncpg.Pool, reader: Principal, session_id: int) -> list[public.ChatMessage]:
    """Reads all messages that a session shows, oldest first; as `list_messages`."""
    messages: list[public.ChatMessage] = []
    while True:
        page = await list_messages(pool, reader, session_id, messages[-1].id if messages else 0, _PAGE)
        messages += page
        if len(page) < _PAGE:
            return messages


async def read_message(pool: asyncpg.Pool, reader: Principal, message_id: int) -> public.ChatMessage | None:
    """Reads one message. Whether the reader may read its session is checked by the caller."""
    found = await _read(_BY_ID, pool, reader, 1, message_id=message_id)
    return found[0] if found else None


async def messages_of_runs(
    pool: asyncpg.Pool, reader: Principal, run_ids: Sequence[str]
) -> tuple[dict[str, chat_message_pb2.ChatMessage], dict[str, chat_message_pb2.ChatMessage]]:
    """Returns the questions and the answers of runs, by run id, as protobuf messages without their siblings."""
    messages = await _read(_OF_RUNS, pool, reader, 2 * len(run_ids), run_ids=run_ids)
    found = {message.id: message for message in messages}
    answers = {message.run_id: message for message in found.values() if message.run_id}
    questions = {
        run_id: found[answer.parent_message_id].to_pb()
        for run_id, answer in answers.items()
        if answer.parent_message_id in found
    }
    return questions, {run_id: answer.to_pb() for run_id, answer in answers.items()}


async def _read(
    query: Query[MessageRow], pool: asyncpg.Pool, reader: Principal, limit: int, **values: Any
) -> list[public.ChatMessage]:
    rows = await query.fetch_all(pool, **documents_cited().values(reader), limit=limit, **values)
    return [_to_model(row) for row in rows]


def _to_model(row: MessageRow) -> public.ChatMessage:
    return public.ChatMessage(
        id=row.id,
        chat_session_id=row.chat_session_id,
        role=public.MessageRole.from_word(row.role),
        content=row.content,
        token_count=row.token_count or 0,
        parent_message_id=row.parent_message_id,
        rephrased_query=row.rephrased_query or "",
        memory_ids=row.memory_ids,
        error=row.error or "",
        run_id=str(row.run_id or ""),
        status=public.MessageStatus.from_word(row.status),
        excluded=row.discarded,
        sibling_ids=sorted(row.sibling_ids or ()),
        citations=[_citation(citation) for citation in row.citations],
        attachments=[public.Attachment(**attachment) for attachment in row.attachments],
        feedback=_feedback(row),
        suggested_questions=closing_questions(row.content) if row.role == "assistant" else [],
        retrieval_context=[public.RetrievedPassage(**passage) for passage in row.retrieval_context],
        tool_calls=[
            public.CalledTool(tool_name=call["toolName"], parameters=call["parameters"]) for call in row.tool_calls
        ],
        creation_date=row.creation_date,
        last_update=row.last_update,
    )


def _feedback(row: MessageRow) -> public.Feedback | None:
    if row.is_positive is None:
        return None
    return public.Feedback(
        is_positive=row.is_positive, feedback_text=row.feedback_text or "", creation_date=row.feedback_date
    )


def _citation(columns: dict[str, Any]) -> public.Citation:
    return public.Citation(**{name: value for name, value in columns.items() if value is not None})
