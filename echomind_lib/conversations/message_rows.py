"""Rows of messages with their citations, as visible to one reader."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

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
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.documents import documents_cited
from echomind_lib.access.ways import Reader
from echomind_lib.conversations.branches import branch
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatMessageFeedback, ChatSession
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.feedback import ChunkFeedback
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import AnswerBasis, AuthorKind, MessageRole, MessageStatus
from echomind_lib.documents.names import FILE_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """A message with its citations as visible to one reader."""

    id: int
    chat_session_id: int
    role: MessageRole
    author_kind: AuthorKind
    status: MessageStatus
    content: str
    token_count: int | None
    parent_message_id: int | None
    rephrased_query: str | None
    memory_ids: list[int]
    basis: AnswerBasis | None
    other_tools: list[str]
    error: str | None
    run_id: UUID | None
    creation_date: datetime
    last_update: datetime | None
    discarded: bool
    sibling_ids: list[int] | None
    """Its siblings, itself included; None if there are no others, or they were not requested."""
    citations: list[dict[str, Any]]
    """Ordered by number and place; the keys are the fields of `Citation`."""
    attachments: list[dict[str, Any]]
    """In their original order; the keys are the fields of `Attachment`."""
    retrieval_context: list[dict[str, Any]]
    """In the order in which they were found; the keys are the fields of `RetrievedPassage`. Empty unless details were
    requested."""
    tool_calls: list[dict[str, Any]]
    """As stored. Empty unless details were requested."""
    is_positive: bool | None
    """Whether the reader found it helpful; None if they have not rated it."""
    feedback_text: str | None
    feedback_date: datetime | None


_reader_id = bindparam(Reader.ID.value, type_=Integer)
_is_shown = case(
    (ChatMessageDocument.url != "", true()),
    (ChatMessageDocument.document_id.is_(None), ChatSession.user_id == _reader_id),
    else_=func.coalesce(documents_cited().where(), false()),
)
"""Whether title and text of a citation are shown. A citation of a removed source is readable for the conversation's
owner; of a source that the reader may not read (any more), only number and place are shown. Web pages are nobody's."""
_shown = (
    select(_is_shown.label("title"))
    .correlate(ChatMessageDocument, ChatSession, Document, Connector)
    # Kept apart by the offset: the planner would plan the condition, the most of the statement, for each use of it.
    .offset(0)
    .lateral("shown")
)
_is_web_address = Document.original_url.regexp_match("^https?://[^/?#@]+([/?#]|$)")
"""Whether browsers may open an address: connectors of earlier releases stored other ones, and some with passwords."""
_memory_ids = case((ChatSession.user_id == _reader_id, ChatMessage.memory_ids), else_=cast([], ARRAY(Integer)))
"""The memories in an answer's prompt; they are visible to their person only, and only in their own sessions."""
_CITATION: Final[dict[str, SQLColumnExpression[Any]]] = {
    "number": ChatMessageDocument.number,
    "document_id": ChatMessageDocument.document_id,
    "chunk_id": ChatMessageDocument.chunk_id,
    "title": case((_shown.c.title, ChatMessageDocument.title), else_=""),
    "file_name": case((_shown.c.title, func.coalesce(FILE_NAME, "")), else_=""),
    "snippet": case((_shown.c.title, ChatMessageDocument.snippet), else_=""),
    "score": func.coalesce(ChatMessageDocument.relevance_score, 0),
    "supported": func.coalesce(ChatMessageDocument.supported, false()),
    "verified": ChatMessageDocument.verified,
    "page": ChatMessageDocument.page,
    "sentence_start": ChatMessageDocument.sentence_start,
    "sentence_end": ChatMessageDocument.sentence_end,
    "chunking_session": ChatMessageDocument.chunking_session,
    "span_start": ChatMessageDocument.span_start,
    "span_end": ChatMessageDocument.span_end,
    "url": ChatMessageDocument.url,
    "original_url": case((and_(_shown.c.title, _is_web_address), Document.original_url), else_=""),
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
        .join(_shown, true())
        .where(ChatMessageDocument.chat_message_id == ChatMessage.id)
        .correlate(ChatMessage, ChatSession)
        .scalar_subquery()
    )
    return func.coalesce(citations, literal([], JSONB))


def _attachments() -> ColumnElement[Any]:
    attached = (
        func.unnest(ChatMessage.document_ids)
        .table_valued(column("id", BigInteger), with_ordinality="position")
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
        select(func.jsonb_agg(aggregate_order_by(attachment, attached.c.position)))
        .select_from(attached.outerjoin(readable, true()))
        .correlate(ChatMessage)
        .scalar_subquery()
    )
    return func.coalesce(attachments, literal([], JSONB))


def _retrieval_context() -> ColumnElement[Any]:
    found = (
        func.jsonb_array_elements(func.coalesce(ChatMessage.retrieval_context, literal([], JSONB)))
        .table_valued(column("passage", JSONB), with_ordinality="position")
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
        func.coalesce(readable.c.title, found.c.passage["title"].astext),
        "chunk_id",
        case((found.c.passage["url"].is_not(None), found.c.passage["chunkId"]), else_=readable.c.chunk_id),
        "score",
        found.c.passage["score"],
        "url",
        found.c.passage["url"],
    )
    passages = (
        select(func.jsonb_agg(aggregate_order_by(func.jsonb_strip_nulls(passage), found.c.position)))
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
    """Returns a statement that selects messages, ordered by id."""
    nothing: ColumnElement[Any] = literal([], JSONB)
    called = func.coalesce(ChatMessage.tool_calls, nothing)
    siblings = _siblings() if with_siblings else cast(null(), ARRAY(BigInteger))
    return Query(
        select(
            *columns(
                MessageRow,
                ChatMessage,
                memory_ids=_memory_ids,
                sibling_ids=siblings,
                citations=_citations(),
                attachments=_attachments(),
                retrieval_context=_retrieval_context() if with_details else nothing,
                tool_calls=called if with_details else nothing,
                is_positive=ChatMessageFeedback.is_positive,
                feedback_text=ChatMessageFeedback.feedback_text,
                feedback_date=ChatMessageFeedback.creation_date,
            )
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


_session_id = bindparam("session_id", type_=Integer)
_after = bindparam("after", type_=BigInteger)
_run_ids = bindparam("run_ids", type_=ARRAY(Uuid))


def _page_of_branch() -> ColumnElement[Any]:
    """Returns the ids of a page; selecting them first avoids reading other messages."""
    head = aliased(ChatSession, name="shown")
    messages = branch(select(head.head_message_id).where(head.id == _session_id).scalar_subquery(), _after)
    page = select(messages.c.id).order_by(messages.c.id).limit(bindparam("limit", type_=Integer))
    return func.array(page.scalar_subquery(), type_=ARRAY(BigInteger))


PAGE_OF_BRANCH: Final = Query.deferred(lambda: _messages(ChatMessage.id == any_(_page_of_branch())))
"""A page of the branch that a session shows."""
PAGE_OF_BRANCH_IN_FULL: Final = Query.deferred(
    lambda: _messages(ChatMessage.id == any_(_page_of_branch()), with_details=True)
)
PAGE_OF_SESSION: Final = Query.deferred(
    lambda: _messages(and_(ChatMessage.chat_session_id == _session_id, ChatMessage.id > _after))
)
"""A page of all messages of a session."""
PAGE_OF_SESSION_IN_FULL: Final = Query.deferred(
    lambda: _messages(and_(ChatMessage.chat_session_id == _session_id, ChatMessage.id > _after), with_details=True)
)
BY_ID: Final = Query.deferred(
    lambda: _messages(ChatMessage.id == bindparam("message_id", type_=BigInteger), with_details=True)
)


def _of_runs() -> ColumnElement[Any]:
    """Returns the ids of the answers of runs and of their questions, as an array.

    No index serves a condition for either of them.
    """
    answer = aliased(ChatMessage, name="answer")
    own, asked = (
        select(column).where(answer.run_id == any_(_run_ids)) for column in (answer.id, answer.parent_message_id)
    )
    return func.array(own.union_all(asked).scalar_subquery(), type_=ARRAY(BigInteger))


OF_RUNS: Final = Query.deferred(lambda: _messages(ChatMessage.id == any_(_of_runs()), with_siblings=False))
