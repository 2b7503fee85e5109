"""Errors for questions that were not stored."""

from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import BigInteger, Integer, Select, and_, bindparam, case, null, or_, select
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import assistant_unavailable, usable, within_session
from echomind_lib.access.notebooks import may_ask_in, require_may_ask
from echomind_lib.conversations.questions.kinds import (
    EditedQuestion,
    FirstQuestion,
    NextQuestion,
    Question,
    Regeneration,
)
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.db.words import MessageRole
from echomind_lib.errors import (
    EchoMindError,
    NotFoundError,
    PermissionDeniedError,
    RunActiveError,
    ValidationFailedError,
)

_user_id = bindparam("user_id", type_=Integer)
_session_id = bindparam("session_id", type_=Integer)
_message_id = bindparam("message_id", type_=BigInteger)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """Reasons that prevent a user from asking in one of their sessions."""

    may_use_assistant: bool
    closed_notebook_id: int | None
    """The session's notebook, if the user may no longer ask in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message(_Session):
    """A message in one of the user's sessions."""

    role: MessageRole
    parent_message_id: int | None
    session_id: int


def _with_assistant(*columns: Any) -> Select[Any]:
    """Returns a query of a user's sessions, with whether they may use the session's assistant."""
    assistant, asker = aliased(Assistant, name="assistant"), aliased(User, name="asker")
    return (
        select(
            *columns,
            and_(usable(assistant, asker), within_session(ChatSession, assistant.id)).label("may_use_assistant"),
            case(
                (or_(ChatSession.notebook_id.is_(None), may_ask_in(ChatSession.notebook_id, asker.id)), null()),
                else_=ChatSession.notebook_id,
            ).label("closed_notebook_id"),
        )
        .select_from(ChatSession)
        .join(assistant, assistant.id == ChatSession.assistant_id)
        .join(asker, asker.id == ChatSession.user_id)
        .where(ChatSession.user_id == _user_id, ChatSession.deleted_date.is_(None))
    )


_SESSION: Final = Query(_with_assistant().where(ChatSession.id == _session_id), _Session)
_MESSAGE: Final = Query(
    _with_assistant(ChatMessage.role, ChatMessage.parent_message_id, ChatSession.id.label("session_id"))
    .join(ChatMessage, ChatMessage.chat_session_id == ChatSession.id)
    .where(ChatMessage.id == _message_id),
    _Message,
)
_session_of_message = select(ChatMessage.chat_session_id).where(ChatMessage.id == _message_id).scalar_subquery()
_LAST_RUN: Final = Query(select(ChatSession.most_recent_run_id).where(ChatSession.id == _session_id), str)
_LAST_RUN_BESIDE: Final = Query(
    select(ChatSession.most_recent_run_id).where(ChatSession.id == _session_of_message), str
)


async def run_active(pool: asyncpg.Pool, question: Question) -> RunActiveError:
    """Returns the error for a session whose last run has not ended."""
    run_id = None
    if isinstance(question, NextQuestion):
        run_id = await _LAST_RUN.fetch_one(pool, session_id=question.session_id)
    elif isinstance(question, EditedQuestion | Regeneration):
        run_id = await _LAST_RUN_BESIDE.fetch_one(pool, message_id=question.message_id)
    return RunActiveError(
        "The session's last question is still being answered: wait for the answer, or cancel the run.", run_id=run_id
    )


async def why_not_stored(pool: asyncpg.Pool, question: Question) -> EchoMindError:
    """Returns the error for a question whose place does not exist, or may not be used by the person.

    Raises:
        NotFoundError: The question's notebook is one in which they may not ask.
    """
    match question:
        case FirstQuestion(assistant_id=assistant_id, notebook_id=notebook_id):
            if notebook_id is not None:
                await require_may_ask(pool, question.user_id, notebook_id)
            return _not_found("assistant", assistant_id or "by default")
        case NextQuestion(session_id=session_id):
            session = await _SESSION.fetch_one(pool, user_id=question.user_id, session_id=session_id)
            if session is None:
                return _not_found("chat session", session_id)
            return _why_not_there(session, session_id) or _not_found("chat session", session_id)
        case EditedQuestion(message_id=message_id) | Regeneration(message_id=message_id):
            found = await _MESSAGE.fetch_one(pool, user_id=question.user_id, message_id=message_id)
            return _why_no_question(message_id, found)


def _why_no_question(message_id: int, found: _Message | None) -> EchoMindError:
    if found is None:
        return _not_found("message", message_id)
    if refused := _why_not_there(found, found.session_id):
        return refused
    if found.role == "assistant" and found.parent_message_id:
        advice = f"edit its question, {found.parent_message_id}, or regenerate the answer"
    else:
        advice = "name a question"
    return ValidationFailedError(f"Message {message_id} is not a question: {advice}.", id="must be a question")


def _why_not_there(session: _Session, session_id: int) -> EchoMindError | None:
    if session.closed_notebook_id is not None:
        return PermissionDeniedError(
            "You are not a member of this conversation's notebook any more: ask one of its owners, or begin another "
            "conversation.",
            required="viewer",
        )
    return None if session.may_use_assistant else assistant_unavailable(session_id)


def _not_found(resource: str, id: int | str) -> NotFoundError:  # noqa: A002 - the word of the contract's metadata
    return NotFoundError(f"There is no {resource} {id}.", resource=resource, id=id)
