"""Storage of summaries of sessions' earlier messages: requests, reads, and writes after each round.

A session has one background job for its summary (`SUMMARIZE_SESSION`). Every write of the job's worker requires its
lease, and a summary is stored only if the one that it continues is unchanged. `is_compressing` shows
users that a summary is being written.
"""

from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import (
    BigInteger,
    Integer,
    Text,
    bindparam,
    exists,
    func,
    select,
    true,
    update,
)

from echomind_lib import jobs
from echomind_lib.assistants.assistant_settings import AssistantSettings, read_settings
from echomind_lib.conversations.branches import branch
from echomind_lib.db.charges import KEY_GIVEN, charged, key_of_run
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models import Assistant, ChatMessage, ChatSession, Run, Step
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import MessageRole
from echomind_lib.errors import LlmUnavailableError, NotFoundError
from echomind_lib.events.log import LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events, with_values
from echomind_lib.jobs import SUMMARIZE_SESSION, Job
from echomind_lib.jobs.lease import held_job
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import SESSION_MODEL, model_part
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.states import warning_event

_FAILURE_SECONDS = 3600.0
"""Time after a failure in which runs do not request the same summary again."""

_session_id = bindparam("session_id", type_=Integer)
_is_session = ChatSession.id == _session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Requested:
    assistant_id: int
    provider: str | None


_REQUESTED: Final = Query(
    select(ChatSession.assistant_id, SESSION_MODEL.c.provider)
    .select_from(ChatSession)
    .join(Assistant, Assistant.id == ChatSession.assistant_id)
    .outerjoin(SESSION_MODEL, true())
    .where(_is_session, ChatSession.deleted_date.is_(None)),
    _Requested,
)
_MARK: Final = Command(update(ChatSession).where(_is_session).values(is_compressing=True))


async def request_summary(
    pool: asyncpg.Pool, bus: Bus, session_id: int, *, by_person: bool = True, api_key_id: int | None = None
) -> bool:
    """Requests a summary of a session's earlier messages, which is generated in the background.

    Args:
        pool: The database.
        bus: For waking a worker.
        session_id: The session. The caller checks access.
        by_person: Whether a user requests it; then also if it failed within the last hour.
        api_key_id: The API key that requests it, which is charged, too; None for none: then the key of the session's
            last question is.

    Returns:
        Whether the request was stored; False while a summary is being generated.

    Raises:
        NotFoundError: There is no such session.
        LlmUnavailableError: The session has no chat model, or the built-in one, which cannot summarize.
    """
    async with pool.acquire() as connection, connection.transaction():
        session = await _REQUESTED.fetch_one(connection, session_id=session_id)
        if session is None:
            raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=str(session_id))
        if session.provider in (None, "extractive"):
            raise LlmUnavailableError(
                "The session's assistant has no chat model that can summarize: the built-in one only quotes. Add a "
                "chat model, or choose another one for the assistant.",
                assistant_id=str(session.assistant_id),
            )
        waiting = 0.0 if by_person else _FAILURE_SECONDS
        payload = jobs.requested_with(api_key_id)
        stored = await jobs.enqueue(connection, SUMMARIZE_SESSION, session_id, payload, unless_failed_within=waiting)
        if stored is None:
            return False
        await _MARK.execute(connection, session_id=session_id)
    await jobs.wake(bus, SUMMARIZE_SESSION)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: int
    assistant_id: int
    head_message_id: int | None
    summary: str | None
    summarized_to: int | None
    config: dict[str, Any]
    model: LlmRecord | None
    is_used_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizedSession:
    """A session to be summarized, as read at the start of the job."""

    id: int
    assistant_id: int
    head_message_id: int | None
    summary: str | None
    """The stored summary."""
    summarized_to: int | None
    """The last message that the summary covers."""
    settings: AssistantSettings
    model: LlmRecord | None
    """None when no chat model is active."""
    is_used_up: bool
    """Whether a quota of the session's owner, or of the API key that is charged, is used up."""


_held = held_job()
_begun = (
    update(ChatSession)
    .where(_is_session, ChatSession.deleted_date.is_(None), _held.c.id.is_not(None))
    .values(is_compressing=True, compressing_started_at=func.clock_timestamp())
    .returning(
        ChatSession.id,
        ChatSession.user_id,
        ChatSession.assistant_id,
        ChatSession.head_message_id,
        ChatSession.most_recent_run_id,
        ChatSession.compressed_summary,
        ChatSession.last_compressed_message_id,
    )
    .cte("begun")
)
_BEGIN: Final = Query(
    select(
        _begun.c.id,
        _begun.c.assistant_id,
        _begun.c.head_message_id,
        _begun.c.compressed_summary.label("summary"),
        _begun.c.last_compressed_message_id.label("summarized_to"),
        Assistant.config,
        *model_part("model"),
        charged(_begun.c.user_id, api_key_id=func.coalesce(KEY_GIVEN, key_of_run(_begun.c.most_recent_run_id))).label(
            "is_used_up"
        ),
    )
    .select_from(_begun)
    .join(Assistant, Assistant.id == _begun.c.assistant_id)
    .outerjoin(SESSION_MODEL, true()),
    _Row,
)


async def begin(pool: asyncpg.Pool, job: Job) -> SummarizedSession | None:
    """Returns the session of a job, and marks it as being summarized.

    None if it was removed, or the job's lease is lost.
    """
    row = await _BEGIN.fetch_one(pool, session_id=int(job.subject_id), api_key_id=job.api_key_id, **job.fence)
    if row is None:
        return None
    return SummarizedSession(
        id=row.id,
        assistant_id=row.assistant_id,
        head_message_id=row.head_message_id,
        summary=row.summary,
        summarized_to=row.summarized_to,
        settings=read_settings(row.config),
        model=row.model,
        is_used_up=row.is_used_up,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchMessage:
    """A message that a summary may cover."""

    id: int
    role: MessageRole
    is_owners: bool
    """Whether the session's owner has written it."""
    content: str


_head = bindparam("head", type_=BigInteger)
_message_id = bindparam("message_id", type_=BigInteger)
_branch = branch(_head, bindparam("after", type_=BigInteger))
_MESSAGES: Final = Query(
    select(
        ChatMessage.id,
        ChatMessage.role,
        is_written_by(ChatMessage, ChatSession.user_id).label("is_owners"),
        ChatMessage.content,
    )
    .join(_branch, _branch.c.id == ChatMessage.id)
    .join(ChatSession, ChatSession.id == ChatMessage.chat_session_id)
    .where(~ChatMessage.discarded, ChatMessage.content != "")
    .order_by(ChatMessage.id),
    BranchMessage,
)
_up_to_message = branch(_head, _message_id - 1)
_ON_BRANCH: Final = Query(select(exists().where(_up_to_message.c.id == _message_id).label("is_on_branch")), bool)
# Counts the earlier messages of the newest prompt: all but the instructions before them and the question after them.
_PROMPT: Final = Query(
    select(func.jsonb_array_length(Step.llm_input) - 2)
    .join(Run, Run.id == Step.run_id)
    .where(
        Run.chat_session_id == _session_id,
        Run.parent_run_id.is_(None),
        func.jsonb_array_length(Step.llm_input) > 0,
    )
    .order_by(Run.id.desc(), Step.step_number)
    .limit(1),
    int,
)


async def messages(pool: asyncpg.Pool, head: int | None, after: int) -> list[BranchMessage]:
    """Returns the messages of the branch that ends with `head`, after the message `after` (0: all), in order."""
    return await _MESSAGES.fetch_all(pool, head=head, after=after)


async def messages_in_prompt(pool: asyncpg.Pool, session_id: int) -> int | None:
    """Returns how many earlier messages the first prompt of the newest run had; None if there was no prompt yet."""
    return await _PROMPT.fetch_one(pool, session_id=session_id)


async def is_on_branch(pool: asyncpg.Pool, message_id: int, head: int | None) -> bool:
    """Returns whether a message is on the branch that ends with `head`."""
    return bool(await _ON_BRANCH.fetch_one(pool, head=head, message_id=message_id))


_last = bindparam("last_message_id", type_=BigInteger)
_SAVE: Final = Command(
    update(ChatSession)
    .where(
        _is_session,
        ChatSession.last_compressed_message_id.is_not_distinct_from(bindparam("summarized_to", type_=BigInteger)),
        _held.c.id.is_not(None),
    )
    .values(compressed_summary=bindparam("summary", type_=Text), last_compressed_message_id=_last)
)


async def save(pool: asyncpg.Pool, job: Job, summary: str, last_message_id: int, *, summarized_to: int | None) -> bool:
    """Stores a summary.

    Args:
        pool: The database.
        job: The job.
        summary: The summary.
        last_message_id: The last message that it covers.
        summarized_to: The last message that the previous summary, which this one continues, covers.

    Returns:
        False if the lease is lost, or the stored summary has changed meanwhile: then nothing is stored.
    """
    return (
        await _SAVE.execute(
            pool,
            session_id=int(job.subject_id),
            summary=summary,
            last_message_id=last_message_id,
            summarized_to=summarized_to,
            **job.fence,
        )
        == 1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended(StoredIds):
    head_message_id: int | None


_ended = (
    update(ChatSession)
    .where(_is_session, ChatSession.deleted_date.is_(None))
    .values(is_compressing=False, compressing_started_at=None)
    .returning(ChatSession.id.label("chat_session_id"), ChatSession.head_message_id)
    .cte("ended")
)
_stored = stored_events(
    origin_of_session(_ended),
    with_values(given_events(), _ended, {("sessionChanged", "headMessageId"): _ended.c.head_message_id}),
)
_END: Final = Query(select(_stored, _ended.c.head_message_id).select_from(_stored.join(_ended, true())), _Ended)


async def end(transaction: LogTransaction, job: Job, *, changed: bool) -> None:
    """Marks the session as no longer being summarized, in the transaction that ends the job.

    Args:
        transaction: The transaction.
        job: The job.
        changed: Whether there was anything to summarize.
    """
    message = "Summarized earlier messages" if changed else "There are no earlier messages to summarize"
    await _end(transaction, job, SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=message))


async def end_failed(transaction: LogTransaction, job: Job, reason: str) -> None:
    """As `end`, for a summary that failed permanently. `reason` is shown to users."""
    message = f"Earlier messages could not be summarized: {reason}"
    await _end(transaction, job, warning_event(session_event_pb2.WARNING_CODE_NOT_SUMMARIZED, message))


async def _end(transaction: LogTransaction, job: Job, event: SessionEvent) -> None:
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_SUMMARIZED

    def fill(row: _Ended) -> None:
        if row.head_message_id is not None:
            event.session_changed.head_message_id = row.head_message_id

    await transaction.append(_END, [event], fill=fill, session_id=int(job.subject_id))
