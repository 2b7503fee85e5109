"""Forks: sessions created as a copy of a branch of another session."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    cast,
    column,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.notebooks import may_ask_in
from echomind_lib.conversations.branches import branch, not_an_answer, read_position
from echomind_lib.conversations.checkpoints import last_finished
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument, ChatSession, ChatSessionSource
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Connection, Query, columns
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds, given_events, stored_events, with_values
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

_session_id = bindparam("session_id", type_=Integer)
_user_id = bindparam("user_id", type_=Integer)
_last = bindparam("last_message_id", type_=BigInteger)
_words_only = bindparam("words_only", type_=Boolean)

_LAST_FINISHED: Final = Query(
    select(last_finished(ChatSession.head_message_id)).where(ChatSession.id == _session_id), int
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedSession(StoredIds):
    """A session created as a copy; the columns of `StoredIds` belong to the event in the source."""

    session_id: int


def _source() -> CTE:
    return select(ChatSession).where(ChatSession.id == _session_id, ChatSession.deleted_date.is_(None)).cte("source")


def _copies() -> CTE:
    """Returns the messages of the branch with the ids of their copies, in the same order."""
    messages = branch(_last, literal(0))
    ordered = select(messages.c.id, messages.c.parent_message_id).order_by(messages.c.id).subquery("ordered")
    copy_id = func.nextval("chat_messages_id_seq", type_=BigInteger)
    return (
        select(ordered.c.id, ordered.c.parent_message_id, copy_id.label("copy_id"))
        .cte("copies")
        .prefix_with("MATERIALIZED")
    )


def _insert_session(source: CTE, copies: CTE) -> CTE:
    summarized, title = copies.alias("summarized"), bindparam("title", type_=Text)
    is_named = title != ""
    # A goal is what the person wants to reach, so nobody gets that of somebody else.
    is_own = and_(~_words_only, source.c.user_id == _user_id)
    columns: dict[str, Any] = {
        "user_id": _user_id,
        "assistant_id": func.coalesce(bindparam("assistant_id", type_=Integer), source.c.assistant_id),
        "notebook_id": case((and_(~_words_only, may_ask_in(source.c.notebook_id, _user_id)), source.c.notebook_id)),
        "title": case((is_named, title), else_=source.c.title),
        "title_origin": case((is_named, "person"), else_=source.c.title_origin),
        "generated_title": case((~is_named, source.c.generated_title)),
        "mode": source.c.mode,
        "goal": case((is_own, source.c.goal)),
        "initial_goal": case((is_own, source.c.initial_goal)),
        "parent_session_id": _unless_words_only(source.c.id),
        "forked_from_message_id": _unless_words_only(_last),
        "head_message_id": select(func.max(copies.c.copy_id)).scalar_subquery(),
        "preferences": _unless_words_only(source.c.preferences, {}),
        # Limits are those of a key of its owner: a copy has them, whoever of their keys makes it.
        **{
            name: case((source.c.user_id == _user_id, source.c[name]))
            for name in ("limited_by", "limited_assistants", "limited_connectors")
        },
        "important_steps": _unless_words_only(_steps_of_copies(source, copies), []),
        "compressed_summary": case((summarized.c.id.is_not(None), source.c.compressed_summary)),
        "last_compressed_message_id": summarized.c.copy_id,
        "context": case((_is_untrusted(source, copies), literal({"untrusted": True}, JSONB)), else_=literal({}, JSONB)),
    }
    return (
        insert(ChatSession)
        .from_select(
            list(columns),
            select(*columns.values()).select_from(
                source.outerjoin(summarized, and_(summarized.c.id == source.c.last_compressed_message_id, ~_words_only))
            ),
        )
        .returning(ChatSession.id)
        .cte("session")
    )


def _unless_words_only(value: Any, otherwise: Any = None) -> ColumnElement[Any]:
    """Returns a value to copy, or `otherwise` if the fork copies messages only."""
    return case((_words_only, null() if otherwise is None else literal(otherwise, JSONB)), else_=value)


def _steps_of_copies(source: CTE, copies: CTE) -> ColumnElement[Any]:
    """Returns the important steps of the runs that wrote the copied messages."""
    message = aliased(ChatMessage, name="message")
    run_ids = select(cast(func.coalesce(message.run_id, message.origin_run_id), Text)).join_from(
        copies, message, message.id == copies.c.id
    )
    important = (
        func.jsonb_array_elements(source.c.important_steps)
        .table_valued(column("step", JSONB), with_ordinality="position")
        .render_derived(name="important")
    )
    steps = func.jsonb_agg(aggregate_order_by(important.c.step, important.c.position))
    return (
        select(func.coalesce(steps, literal([], JSONB)))
        .select_from(important)
        .where(important.c.step.op("->>")("runId").in_(run_ids))
        .correlate(source)
        .scalar_subquery()
    )


def _is_untrusted(source: CTE, copies: CTE) -> ColumnElement[bool]:
    """Returns whether the copy holds text that its owner did not write: read by a run, or of somebody else."""
    has_untrusted_run = exists().where(Run.chat_session_id == source.c.id, Run.untrusted)
    message = aliased(ChatMessage, name="written")
    is_by_others = exists().where(
        copies.c.id == message.id, message.role == "user", message.author_id.is_distinct_from(_user_id)
    )
    return or_(
        source.c.user_id != _user_id, func.jsonb_exists(source.c.context, "untrusted"), has_untrusted_run, is_by_others
    )


def _insert_messages(session: CTE, copies: CTE) -> CTE:
    message, above = aliased(ChatMessage, name="message"), copies.alias("above")
    columns: dict[str, Any] = {
        "id": copies.c.copy_id,
        "chat_session_id": session.c.id,
        "role": message.role,
        "author_kind": _author_kind_of(message),
        "author_id": message.author_id,
        "status": message.status,
        "content": message.content,
        "token_count": message.token_count,
        "parent_message_id": above.c.copy_id,
        "discarded": message.discarded,
        "rephrased_query": _unless_words_only(message.rephrased_query),
        "retrieval_context": _unless_words_only(message.retrieval_context),
        "tool_calls": _unless_words_only(message.tool_calls),
        "error": message.error,
        "basis": message.basis,
        "other_tools": message.other_tools,
        "document_ids": case((_words_only, cast([], ARRAY(BigInteger))), else_=message.document_ids),
        "origin_run_id": _unless_words_only(func.coalesce(message.run_id, message.origin_run_id)),
    }
    return (
        insert(ChatMessage)
        .from_select(
            list(columns),
            select(*columns.values())
            .select_from(
                session.join(copies, true())
                .join(message, message.id == copies.c.id)
                .outerjoin(above, above.c.id == copies.c.parent_message_id)
            )
            .order_by(copies.c.copy_id),
        )
        .cte("messages")
    )


def _author_kind_of(message: Any) -> ColumnElement[str]:
    """Returns who wrote a copied message, for the owner of the copy: their own messages remain their words."""
    return case(
        (message.author_kind == "assistant", "assistant"),
        (message.author_id == _user_id, "person"),
        (message.author_kind == "unknown", "unknown"),
        else_="foreign",
    )


def _insert_citations(session: CTE, source: CTE, copies: CTE) -> CTE:
    """Inserts the citations; snippets of removed sources are copied only for the conversation's owner."""
    citation = aliased(ChatMessageDocument, name="citation")
    keeps_words = or_(citation.document_id.is_not(None), citation.url != "", source.c.user_id == _user_id)
    columns: dict[str, Any] = {
        "chat_message_id": copies.c.copy_id,
        "number": citation.number,
        "document_id": citation.document_id,
        "title": case((keeps_words, citation.title), else_=""),
        "chunk_id": citation.chunk_id,
        "relevance_score": citation.relevance_score,
        "snippet": case((keeps_words, citation.snippet), else_=""),
        "supported": citation.supported,
        "verified": citation.verified,
        "page": citation.page,
        "sentence_start": citation.sentence_start,
        "sentence_end": citation.sentence_end,
        "chunking_session": citation.chunking_session,
        "span_start": citation.span_start,
        "span_end": citation.span_end,
        "url": citation.url,
    }
    return (
        insert(ChatMessageDocument)
        .from_select(
            list(columns),
            select(*columns.values())
            .select_from(
                session.join(source, true())
                .join(copies, true())
                .join(citation, citation.chat_message_id == copies.c.id)
            )
            .order_by(citation.id),
        )
        .cte("citations")
    )


def _insert_sources(session: CTE, source: CTE) -> CTE:
    """Copies all sources of the original, as its summary and steps may contain more than the copied messages."""
    drawn_on = ChatSessionSource
    columns: dict[str, Any] = {
        "chat_session_id": session.c.id,
        "document_id": drawn_on.document_id,
        "connector_id": drawn_on.connector_id,
    }
    return (
        insert(drawn_on)
        .from_select(
            list(columns),
            select(*columns.values()).select_from(
                session.join(source, true()).join(drawn_on, drawn_on.chat_session_id == source.c.id)
            ),
        )
        .cte("sources")
    )


def _fork() -> Query[ForkedSession]:
    source, copies = _source(), _copies()
    session = _insert_session(source, copies)
    # A copy by another person stores no event in the owner's session.
    origin = (
        select(source.c.id.label("chat_session_id"), cast(null(), Uuid).label("run_id"))
        .join_from(source, session, true())
        .where(source.c.user_id == _user_id)
        .cte("origin")
    )
    events = with_values(given_events(), session, {("sessionChanged", "forkedSessionId"): session.c.id})
    stored = stored_events(origin, events)
    return Query(
        select(*columns(ForkedSession, stored, session_id=session.c.id, chat_session_id=source.c.id))
        .select_from(session.join(source, true()).outerjoin(stored, true()))
        .add_cte(
            _insert_messages(session, copies),
            _insert_citations(session, source, copies),
            _insert_sources(session, source),
        ),
        ForkedSession,
    )


_FORK: Final = Query.deferred(_fork)


async def fork_session(
    log: EventLog,
    session_id: int,
    message_id: int,
    user_id: int,
    title: str = "",
    *,
    assistant_id: int | None = None,
    words_only: bool = False,
) -> ForkedSession:
    """Creates a session with copies of the messages of a branch up to a message, with their citations.

    The copy has the source's assistant, mode and preferences, its goal if it is the owner's copy, the important steps
    of the runs that wrote the copied messages, and the summary if it covers no message after the copied ones. Its
    messages belong to no run. It draws on the same sources as the original. Snippets of removed sources are visible to
    the conversation's owner only, so another person's copy has none of them.

    Args:
        log: Event log to publish the fork, if it is the owner's.
        session_id: The session. The caller checks access.
        message_id: The last answer of the copy; 0 means the last finished one of the shown branch.
        user_id: ID of the new owner.
        title: Its title; empty means the source's.
        assistant_id: Its assistant; None means the source's.
        words_only: Whether to copy nothing but the messages, their citations and the sources: for people who may not
            see the goal, options, steps and attachments of the original.

    Raises:
        NotFoundError: There is no such session, or no such message in it.
        ValidationFailedError: The message is not an answer.
        RunActiveError: The answer is still being written.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Forked into another session")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_FORKED

    def fill(row: ForkedSession) -> None:
        event.session_changed.forked_session_id = row.session_id

    forked = await log.append(
        _FORK,
        [event],
        fill=fill,
        session_id=session_id,
        user_id=user_id,
        last_message_id=await finished_answer(log.pool, session_id, message_id),
        title=title,
        assistant_id=assistant_id,
        words_only=words_only,
    )
    if forked is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=session_id)
    return forked


async def finished_answer(connection: Connection, session_id: int, message_id: int = 0) -> int | None:
    """Returns the last answer of a copy of a branch; None if there is no answer yet.

    Args:
        connection: The database.
        session_id: The session. The caller checks access.
        message_id: The answer; 0 means the last finished one of the shown branch.

    Raises:
        NotFoundError: The session has no such message.
        ValidationFailedError: The message is not an answer.
        RunActiveError: The answer is still being written.
    """
    if not message_id:
        return await _LAST_FINISHED.fetch_one(connection, session_id=session_id)
    message = await read_position(connection, session_id, message_id)
    if message.role != "assistant":
        raise not_an_answer(message_id)
    if message.status == "streaming":
        raise RunActiveError(
            "This answer is still being written: wait for it, or name the one before it.", run_id=message.run_id
        )
    return message_id
