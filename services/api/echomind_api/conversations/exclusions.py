"""Excludes messages and steps from later prompts, and includes them again. Readers of the session get an event."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import BigInteger, Boolean, Integer, Uuid, bindparam, exists, func, null, select, true, update

from echomind_lib.conversations.summaries import request_summary
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run, Step
from echomind_lib.db.statements import Query
from echomind_lib.errors import LlmUnavailableError
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import LOCK_CLASS, StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import exists_in

_message_id = bindparam("message_id", type_=BigInteger)
_run_id = bindparam("run_id", type_=Uuid)
_excluded = bindparam("excluded", type_=Boolean)
_user_id = bindparam("user_id", type_=Integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExcludedMessage(StoredIds):
    lost_summary: bool
    """Whether its session had a summary that covers it."""


def _exclude_message() -> Query[_ExcludedMessage]:
    """Returns no row if the message already has the requested state. A summary that covers the message is removed.

    Locks the session, then the log, then the message: the same order as sending a question and ending a run.
    """
    summarized = (
        select(ChatSession.id)
        .join(ChatMessage, ChatMessage.chat_session_id == ChatSession.id)
        .where(
            ChatMessage.id == _message_id,
            ChatMessage.discarded != _excluded,
            ChatSession.last_compressed_message_id >= ChatMessage.id,
        )
        .with_for_update(key_share=True, of=ChatSession)
        .cte("summarized")
        .prefix_with("MATERIALIZED")
    )
    is_locked = select(func.count()).select_from(summarized).scalar_subquery() >= 0
    locked = (
        select(func.pg_advisory_xact_lock(LOCK_CLASS, ChatMessage.chat_session_id))
        .where(ChatMessage.id == _message_id, is_locked)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    message = (
        update(ChatMessage)
        .where(ChatMessage.id == _message_id, ChatMessage.discarded != _excluded, exists_in(locked))
        .values(discarded=_excluded, user_id_last_update=_user_id)
        .returning(ChatMessage.chat_session_id)
        .cte("message")
    )
    session = (
        update(ChatSession)
        .where(ChatSession.id == summarized.c.id, exists_in(message))
        .values(compressed_summary=null(), last_compressed_message_id=null(), user_id_last_update=_user_id)
        .returning(ChatSession.id)
        .cte("session")
    )
    stored = stored_events(origin_of_session(message), given_events())
    return Query(select(exists(select(session.c.id)).label("lost_summary"), stored), _ExcludedMessage)


def _exclude_step() -> Query[StoredIds]:
    """Returns the run is locked so that no worker claims it meanwhile."""
    run = (
        select(Run.id, Run.chat_session_id)
        .where(Run.id == _run_id, Run.status.in_(["paused", "waiting_for_input", "waiting_for_children"]))
        .with_for_update(read=True)
        .cte("run")
    )
    step = (
        update(Step)
        .where(
            Step.run_id == run.c.id,
            Step.step_number == bindparam("step_number", type_=Integer),
            Step.action != "retrieve",
        )
        .values(discarded=_excluded, user_id_last_update=_user_id)
        .returning(Step.run_id)
        .cte("step")
    )
    origin = select(run.c.chat_session_id, step.c.run_id).join_from(run, step, true()).cte("origin")
    return Query(select(stored_events(origin, given_events())), StoredIds)


_EXCLUDE_MESSAGE: Final = Query.deferred(_exclude_message)
_EXCLUDE_STEP: Final = Query.deferred(_exclude_step)


async def exclude_message(
    log: EventLog, message_id: int, user_id: int, *, excluded: bool, api_key_id: int | None = None
) -> None:
    """Excludes a message from later prompts, or includes it again.

    Args:
        log: Event log for publishing.
        message_id: The message.
        user_id: ID of the user who requests it; the caller checks permissions.
        excluded: Whether it is excluded.
        api_key_id: The API key that requests it, for the summary that is written again; None for none.
    """
    event = _event("Excluded a message from context" if excluded else "Included a message in context again")
    changed = await log.append(_EXCLUDE_MESSAGE, [event], message_id=message_id, excluded=excluded, user_id=user_id)
    if changed is not None and changed.lost_summary:
        with suppress(LlmUnavailableError):  # without a model that can summarize, prompts have no summary
            await request_summary(log.pool, log.bus, changed.chat_session_id, api_key_id=api_key_id)


async def exclude_step(log: EventLog, run_id: UUID, step_number: int, user_id: int, *, excluded: bool) -> bool:
    """Excludes a step from the prompts of the run's later steps, or includes it again.

    Args:
        log: Event log for publishing.
        run_id: The run.
        step_number: Number of its step.
        user_id: ID of the user who requests it; the caller checks permissions.
        excluded: Whether it is excluded.

    Returns:
        Whether the step was changed: the run must be paused or waiting, and the step must have called a model.
    """
    event = _event(
        f"Excluded step {step_number} from context" if excluded else f"Included step {step_number} in context again"
    )
    changed = await log.append(
        _EXCLUDE_STEP, [event], run_id=run_id, step_number=step_number, excluded=excluded, user_id=user_id
    )
    return changed is not None


def _event(text: str) -> SessionEvent:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_EXCLUDED
    return event
