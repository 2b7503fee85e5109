"""Storage of generated session titles.

A session has one background job for its title (`TITLE_SESSION`), which is requested in the transaction that stores its
first answer (`runs.finish`). A title set by a person is never replaced.
"""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import Integer, Text, and_, bindparam, select, true, update
from sqlalchemy.orm import aliased

from echomind_lib import jobs
from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.db.models import ChatMessage, ChatSession, Llm, Run
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.jobs import TITLE_SESSION
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import model_part
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

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
    answer: str
    model: LlmRecord | None
    """The model that answered; None if it can no longer be used."""


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
        _first.c.content.label("answer"),
        *model_part("model", Llm),
    )
    .select_from(ChatSession)
    .join(_first, true())
    .join(_question, _question.id == _first.c.parent_message_id)
    .outerjoin(Run, Run.id == _first.c.run_id)
    .outerjoin(Llm, and_(Llm.id == Run.llm_id, usable_llm(Llm)))
    .where(_is_untitled),
    UntitledSession,
)


async def request_title(log: EventLog, session_id: int) -> None:
    """Requests a title for a session whose title was removed; one without answers gets it after the first."""
    await jobs.request(log.pool, log.bus, TITLE_SESSION, session_id)


async def read(pool: asyncpg.Pool, session_id: int) -> UntitledSession | None:
    """Returns a session without a title; None if it has one, has no answer, or was removed."""
    return await _READ.fetch_one(pool, session_id=session_id)


_titled = (
    update(ChatSession)
    .where(_is_untitled)
    .values(generated_title=bindparam("title", type_=Text))
    .returning(ChatSession.id.label("chat_session_id"))
    .cte("titled")
)
_SAVE: Final = Query(select(stored_events(origin_of_session(_titled), given_events())), StoredIds)


async def save(transaction: LogTransaction, session_id: int, title: str) -> None:
    """Stores the title of a session, unless a person has set one meanwhile.

    The event omits the title: subscribers who may not read all of the session's sources may not see it.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Titled by the model")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_TITLED
    await transaction.append(_SAVE, [event], session_id=session_id, title=title)
