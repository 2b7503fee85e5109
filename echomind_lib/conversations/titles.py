"""Storage of generated session titles.

A session has one background job for its title (`TITLE_SESSION`), which is requested in the transaction that stores its
first answer (`runs.finish`, `runs.titles`). Each attempt is stored, whatever the model wrote. A title set by a person
is never replaced.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import asyncpg
from sqlalchemy import Integer, Text, and_, bindparam, literal, select, true, update
from sqlalchemy.orm import aliased

from echomind_lib import jobs
from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.conversations import usage
from echomind_lib.db.charges import charged, key_of_run
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models import ChatMessage, ChatSession, Llm, Run
from echomind_lib.db.statements import Command, Query
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.jobs import TITLE_SESSION
from echomind_lib.llms import Usage
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import model_part
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.titles import needs_title

_session_id = bindparam("session_id", type_=Integer)
_is_untitled = and_(
    ChatSession.id == _session_id,
    ChatSession.deleted_date.is_(None),
    ChatSession.title_origin != "person",
    ChatSession.generated_title.is_(None),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UntitledSession:
    """A session without a title from a person or a model, with its first answer."""

    assistant_id: int
    question: str
    is_owners: bool
    """Whether the question is the session owner's own."""
    answer: str
    model: LlmRecord | None
    """The model that answered; None if it can no longer be used."""
    is_used_up: bool
    """Whether a quota of the session's owner, or of the API key of its last question, is used up."""


_question, _answer = aliased(ChatMessage, name="question"), aliased(ChatMessage, name="answer")
_first = (
    select(_answer.content, _answer.parent_message_id, _answer.run_id)
    .where(
        _answer.chat_session_id == ChatSession.id,
        _answer.role == "assistant",
        _answer.status == "completed",
        ~_answer.discarded,
    )
    .order_by(_answer.id)
    .limit(1)
    .correlate(ChatSession)
    .lateral("first")
)
_READ: Final = Query(
    select(
        ChatSession.assistant_id,
        _question.content.label("question"),
        is_written_by(_question, ChatSession.user_id).label("is_owners"),
        _first.c.content.label("answer"),
        *model_part("model", Llm),
        charged(ChatSession.user_id, api_key_id=key_of_run(ChatSession.most_recent_run_id)).label("is_used_up"),
    )
    .select_from(ChatSession)
    .join(_first, true())
    .join(_question, _question.id == _first.c.parent_message_id)
    .outerjoin(Run, Run.id == _first.c.run_id)
    .outerjoin(Llm, and_(Llm.id == Run.llm_id, usable_llm(Llm)))
    .where(_is_untitled, needs_title()),
    UntitledSession,
)


_FORGET_ATTEMPTS: Final = Command(
    update(ChatSession).where(ChatSession.id == _session_id, ChatSession.title_attempts > 0).values(title_attempts=0)
)


async def request_title(log: EventLog, session_id: int) -> None:
    """Requests a title for a session whose title was removed; one without answers gets it after the first."""
    await _FORGET_ATTEMPTS.execute(log.pool, session_id=session_id)
    await jobs.request(log.pool, log.bus, TITLE_SESSION, session_id)


async def read(pool: asyncpg.Pool, session_id: int) -> UntitledSession | None:
    """Returns a session that needs a title; None if it needs none, has no answer, or was removed."""
    return await _READ.fetch_one(pool, session_id=session_id)


_kind = literal("title")
_attempted = usage.booked() | {"title_attempts": ChatSession.title_attempts + 1}
_titled = (
    update(ChatSession)
    .where(_is_untitled)
    .values(generated_title=bindparam("title", type_=Text), **_attempted)
    .returning(
        ChatSession.id.label("chat_session_id"),
        ChatSession.user_id,
        ChatSession.assistant_id,
        usage.charged_to_owner(),
    )
    .cte("titled")
)
_SAVE: Final = Query(
    select(stored_events(origin_of_session(_titled), given_events())).add_cte(
        usage.counted(_titled, kind=_kind).cte("counted")
    ),
    StoredIds,
)
_untitled = (
    update(ChatSession)
    .where(ChatSession.id == _session_id)
    .values(_attempted)
    .returning(ChatSession.user_id, ChatSession.assistant_id, usage.charged_to_owner())
    .cte("untitled")
)
_NOTE_ATTEMPT: Final = Command(usage.counted(_untitled, kind=_kind))


async def save(
    transaction: LogTransaction, session_id: int, title: str, llm_id: int, used: Usage, cost: Decimal
) -> None:
    """Stores an attempt at the title of a session, and the title unless a person has set one meanwhile.

    What it has used is charged to the quotas of the session's owner.

    The event omits the title: subscribers who may not read all of the session's sources may not see it.

    Args:
        transaction: The transaction that completes the job.
        session_id: The session.
        title: The title; empty if the model wrote something else.
        llm_id: The model.
        used: The request's tokens.
        cost: Its price in US dollars; 0 if unknown.
    """
    values = {"session_id": session_id, "llm_id": llm_id, **usage.values(used, cost)}
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Titled by the model")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_TITLED
    if not title or await transaction.append(_SAVE, [event], title=title, **values) is None:
        await _NOTE_ATTEMPT.execute(transaction.connection, **values)
