"""Positions of a new question, as CTEs `position`: its session, the previous message, and the options of its run.

A session's messages are a tree: a question follows the answer before it, an edited question becomes a sibling of the
original question, and a regenerated answer a sibling of the original answer. Nothing is overwritten.
"""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Integer,
    SQLColumnExpression,
    TableValuedAlias,
    Text,
    and_,
    bindparam,
    case,
    cast,
    column,
    exists,
    false,
    func,
    literal,
    null,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import chosen, within_session
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run

USER_ID: Final = bindparam("user_id", type_=Integer)
REQUEST_ID: Final = bindparam("request_id", type_=Text)
_options = bindparam("options", type_=JSONB)
_message_id = bindparam("message_id", type_=BigInteger)
_session_id = bindparam("session_id", type_=Integer)
_assistant_id = bindparam("assistant_id", type_=Integer)


def run_options(source: SQLColumnExpression[Any], name: str) -> TableValuedAlias:
    """Returns `RunOptions` of a JSONB value (options, preferences, an assistant's configuration) as typed columns."""
    return (
        func.jsonb_to_record(source)
        .table_valued(
            column("autoRun", Boolean),
            column("askClarifications", Boolean),
            column("maxSteps", Integer),
            column("timeoutSeconds", Integer),
            column("maxRunTokens", BigInteger),
            column("maxCost", Double),
            column("maxDepth", Integer),
            column("llmId", Integer),
            column("waitStrategy", Text),
            column("addHistoryToContext", Boolean),
            column("tools", JSONB),
        )
        .render_derived(name=name, with_types=True)
    )


def _asked(
    document_ids: SQLColumnExpression[Any] | None = None, author_kind: SQLColumnExpression[Any] | None = None
) -> list[ColumnElement[Any]]:
    """Returns the columns of a `position` for a new question, with the attached documents."""
    attached = bindparam("document_ids", type_=ARRAY(BigInteger)) if document_ids is None else document_ids
    return [
        cast(null(), BigInteger).label("question_id"),
        bindparam("content", type_=Text).label("content"),
        bindparam("token_count", type_=Integer).label("token_count"),
        func.now().label("asked_at"),
        attached.label("document_ids"),
        (literal("person") if author_kind is None else author_kind).label("author_kind"),
    ]


def _owned(session: Any) -> ColumnElement[bool]:
    return and_(
        session.user_id == USER_ID, session.deleted_date.is_(None), within_session(session, session.assistant_id)
    )


def _is_untrusted() -> ColumnElement[bool]:
    """Returns whether earlier turns have read untrusted text, which answers, summary and steps may contain."""
    earlier = aliased(Run, name="earlier")
    has_untrusted_run = exists().where(earlier.chat_session_id == ChatSession.id, earlier.untrusted)
    is_marked = func.jsonb_exists(ChatSession.context, "untrusted")
    return and_(ChatSession.mode == "chat", or_(is_marked, has_untrusted_run))


def after_head() -> CTE:
    """Returns the position after the head of a session."""
    return (
        select(
            ChatSession.id,
            ChatSession.assistant_id,
            ChatSession.notebook_id,
            _merged(ChatSession.preferences, _options).label("options"),
            _is_untrusted().label("is_untrusted"),
            ChatSession.head_message_id.label("parent_message_id"),
            *_asked(),
        )
        .where(ChatSession.id == _session_id, _owned(ChatSession))
        # FOR NO KEY UPDATE: writers of events only reference the session, so neither waits for the other.
        .with_for_update(key_share=True)
        .cte("position")
    )


def in_new_session() -> CTE:
    """Returns the position of the first question of a new session."""
    assistant = chosen(USER_ID, _assistant_id, limited=True).subquery("chosen")
    return select(
        cast(func.nextval("chat_sessions_id_seq"), Integer).label("id"),
        assistant.c.id.label("assistant_id"),
        bindparam("notebook_id", type_=BigInteger).label("notebook_id"),
        _merged(usual_options(), _options).label("options"),
        false().label("is_untrusted"),
        cast(null(), BigInteger).label("parent_message_id"),
        *_asked(author_kind=bindparam("author_kind", type_=Text)),
    ).cte("position")


def beside_question() -> CTE:
    """Returns the position of an edited question, beside the original one.

    Nobody knows which words of an edited question of somebody else are whose, so its author is unknown.
    """
    edited = aliased(ChatMessage, name="edited")
    return (
        select(
            ChatSession.id,
            ChatSession.assistant_id,
            ChatSession.notebook_id,
            _options_of_next_run(edited).label("options"),
            _is_untrusted().label("is_untrusted"),
            edited.parent_message_id,
            *_asked(edited.document_ids, case((is_written_by(edited, USER_ID), "person"), else_="unknown")),
        )
        .join_from(edited, ChatSession, ChatSession.id == edited.chat_session_id)
        .where(edited.id == _message_id, edited.role == "user", _owned(ChatSession))
        .with_for_update(key_share=True, of=ChatSession)
        .cte("position")
    )


def of_question() -> CTE:
    """Returns the position of a stored question, which is identified by its own id or by that of an answer."""
    given = aliased(ChatMessage, name="given")
    question = aliased(ChatMessage, name="question")
    question_id = case((given.role == "user", given.id), else_=given.parent_message_id)
    return (
        select(
            ChatSession.id,
            ChatSession.assistant_id,
            ChatSession.notebook_id,
            _options_of_next_run(question).label("options"),
            _is_untrusted().label("is_untrusted"),
            question.parent_message_id,
            question.id.label("question_id"),
            question.content,
            func.coalesce(question.token_count, 0).label("token_count"),
            question.creation_date.label("asked_at"),
            question.document_ids,
            question.author_kind,
        )
        .join_from(given, question, question.id == question_id)
        .join(ChatSession, ChatSession.id == given.chat_session_id)
        .where(given.id == _message_id, question.role == "user", _owned(ChatSession))
        .with_for_update(key_share=True, of=ChatSession)
        .cte("position")
    )


def usual_options() -> ColumnElement[Any]:
    """Returns the user's default run options, which become the preferences of new sessions."""
    person = aliased(User, name="asker")
    usual = select(person.preferences["runOptions"]).where(person.id == USER_ID).scalar_subquery()
    return func.coalesce(usual, literal({}, JSONB))


def _options_of_next_run(question: Any) -> ColumnElement[Any]:
    """Returns the merged options: session preferences, then the last run's `auto_run`, then the request's options."""
    answer = aliased(ChatMessage, name="answer")
    last_run = (
        select(func.jsonb_build_object("autoRun", Run.auto_run))
        .join_from(answer, Run, Run.id == answer.run_id)
        .where(answer.parent_message_id == question.id, answer.role == "assistant")
        .order_by(answer.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    return _merged(ChatSession.preferences, func.coalesce(last_run, literal({}, JSONB)), _options)


def _merged(*objects: SQLColumnExpression[Any]) -> ColumnElement[Any]:
    """Returns JSONB objects merged into one; later ones take precedence."""
    merged, *others = objects
    for other in others:
        merged = merged.op("||", return_type=JSONB())(other)
    return cast(merged, JSONB)
