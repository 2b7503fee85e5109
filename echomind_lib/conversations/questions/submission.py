"""Submission of questions: stores a question with its empty answer and queued run, publishes it, and wakes a worker.

`submit` also handles a text that is a repeated request, or the answer to a waiting run.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, Integer, Uuid, bindparam, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.access.assistant_choice import require_usable_llm
from echomind_lib.access.key_limits import limit_columns
from echomind_lib.conversations import goals
from echomind_lib.conversations.questions.kinds import (
    EditedQuestion,
    FirstQuestion,
    NextQuestion,
    Question,
    Regeneration,
)
from echomind_lib.conversations.questions.refusals import run_active, why_not_stored
from echomind_lib.conversations.questions.repetitions import require_repetition
from echomind_lib.conversations.questions.statements import (
    CLAIM_AFTER_HEAD,
    CLAIM_IN_NEW_SESSION,
    STORE_AFTER_HEAD,
    STORE_EDIT,
    STORE_IN_NEW_SESSION,
    STORE_OF_VERSION,
    STORE_REGENERATION,
)
from echomind_lib.conversations.questions.stored import FIND_BY_REQUEST, FIND_BY_RUN, StoredQuestion
from echomind_lib.conversations.waiting import run_waiting_for_text
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import AlreadyExistsError, NotFoundError, OverloadedError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.mappers.chat import to_options
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.assignment import Agents, Reservation
from echomind_lib.runs.inputs import provide_input
from echomind_lib.runs.queue import SLOT_INDEX, wake_worker
from echomind_lib.runs.states import status_event
from echomind_lib.runs.unfinished import require_free_runs
from echomind_lib.telemetry import spans
from echomind_lib.text import line_of_words

_TITLE_LENGTH: Final = 80
_ONE_ACTIVE_ROOT: Final = "idx_runs_active_root"
"""The unique index that allows one active root run per session."""
_began: Final = ChatSession.limited_by == bindparam("key_id", type_=Integer)
_BEGAN: Final = Query(
    select(ChatSession.id).where(ChatSession.id == bindparam("session_id", type_=Integer), _began), int
)
_BEGAN_OF_MESSAGE: Final = Query(
    select(ChatSession.id)
    .join(ChatMessage, ChatMessage.chat_session_id == ChatSession.id)
    .where(ChatMessage.id == bindparam("message_id", type_=BigInteger), _began),
    int,
)
_CONNECTORS: Final = Query(
    select(func.coalesce(Run.caller["connectors"], literal([], JSONB))).where(
        Run.id == bindparam("run_id", type_=Uuid)
    ),
    list[int],
)
_EXTERNAL_ID: Final = "idx_runs_external_id"
"""The unique index of the IDs that a program gives to the runs of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The result of a submission: a new question, the answer to a waiting run, or the result of a repeated request."""

    question: StoredQuestion
    """The question of the run; new if `question.is_new`."""
    events: Sequence[SessionEvent] = ()
    """Events stored by this call; empty for a repeated request."""

    @property
    def run_id(self) -> UUID:
        """The run that answers it."""
        return self.question.run_id

    @property
    def session_id(self) -> int:
        """The question's session."""
        return self.question.chat_session_id

    @property
    def is_new(self) -> bool:
        """Returns whether this call created the run."""
        return self.question.is_new


async def submit(
    log: EventLog,
    question: Question,
    *,
    before_wake: Callable[[Submission], Awaitable[None]] | None = None,
    agents: Agents | None = None,
) -> Submission:
    """Asks a question.

    If a run of the session waits for text, the text is the answer to that run. A repeated request changes nothing.

    Args:
        log: Event log for storing and publishing.
        question: The question, its place, and the asker.
        before_wake: Awaited after a new question is stored and before a worker is woken, so that a subscriber misses
            nothing of the run.
        agents: Agents that the run of a new question may be assigned to at once; None to queue it in any case.

    Raises:
        NotFoundError: The session or message does not exist or is not theirs, they may not use the assistant or
            chat model, or they may not ask in the notebook.
        ValidationFailedError: The edited or regenerated message is neither question nor answer, or the answer to
            a run has documents attached or chooses other connectors.
        AssistantUnavailableError: The session's assistant was removed, or hidden from them.
        LlmUnavailableError: The built-in model cannot pursue a goal.
        RunActiveError: The session's last run has not ended, and does not wait for text.
        AmbiguousInputError: Several of the session's runs wait for text.
        AlreadyExistsError: Another run of the session has the external ID.
        OverloadedError: The asker, or their key, has as many unfinished questions as a limit allows.
    """
    await _check_options(log, question)
    if agents is None or not _may_be_assigned(question):
        return await _announced(log, await store(log, question), question, before_wake)
    with agents.reserve(question.user_id) as reservation:
        submission = await store(log, question, reservation)
        if reservation is not None and submission.is_new and not reservation.is_claimed:
            reservation.release()
    return await _announced(log, submission, question, before_wake, reservation)


def _may_be_assigned(question: Question) -> bool:
    return isinstance(question, NextQuestion) or (
        isinstance(question, FirstQuestion) and not question.assistant_version
    )


async def _announced(
    log: EventLog,
    submission: Submission,
    question: Question,
    before_wake: Callable[[Submission], Awaitable[None]] | None,
    reservation: Reservation | None = None,
) -> Submission:
    """Tells an agent about the run of a new question, and returns the submission."""
    if spans.recorder is not None:
        spans.join_run(submission.run_id, submission.session_id, question.user_id)
    if submission.is_new:
        if before_wake is not None:
            await before_wake(submission)
        if reservation is not None and reservation.is_claimed:
            await reservation.send()
        else:
            await wake_worker(log, submission.run_id)
    return submission


async def store(log: EventLog, question: Question, reservation: Reservation | None = None) -> Submission:
    """Submits a question as `submit` does, but neither checks goals nor wakes a worker for a new question.

    Args:
        log: Event log for storing and publishing.
        question: The question.
        reservation: A slot of an agent, with which its run is claimed if the conditions hold; then its status is
            `running`. None to queue it.
    """
    await _require_within_limits(log, question)
    query, values = _statement(question)
    if reservation is not None:
        query = CLAIM_AFTER_HEAD if isinstance(question, NextQuestion) else CLAIM_IN_NEW_SESSION
        values |= reservation.values
    queued = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Queued")
    queued.queued.SetInParent()
    events = [queued] if reservation is None else [queued, status_event("running", "Working", 1)]

    def fill(row: StoredQuestion) -> None:
        _fill(queued, row)
        del events[len(row.event_ids or ()) :]
        # Before anything is awaited: the run is not lost with the request.
        if reservation is not None and row.status == "running":
            reservation.claim(row.run_id)

    try:
        if any(each.runs is not None for each in question.rates):
            async with log.transaction() as transaction:
                await require_free_runs(transaction.connection, question.rates)
                stored = await transaction.append(query, events, fill=fill, **values)
        else:
            stored = await log.append(query, events, fill=fill, **values)
    except OverloadedError:
        # It may be no new question: a repeated request, or the answer to a run that waits for it.
        if repeated := await _find_request(log, question):
            return repeated
        if isinstance(question, NextQuestion) and (answered := await _answer_run(log, question)):
            return answered
        raise
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name == SLOT_INDEX:  # another claim has chosen the same slot of the person
            return await store(log, question)
        if error.constraint_name == _ONE_ACTIVE_ROOT:
            return await _store_beside_run(log, question)
        if error.constraint_name == _EXTERNAL_ID:
            raise _external_id_taken(question) from error
        return await _repeated(log, question)
    if stored is not None:
        return Submission(question=stored, events=events)
    if repeated := await _find_request(log, question):
        return repeated
    raise await why_not_stored(log.pool, question)


def _external_id_taken(question: Question) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"The conversation already has a run with the external ID {question.run_external_id!r}. Choose another one; to "
        "repeat a request, send its request ID.",
        resource="run",
        field="externalId",
    )


async def _check_options(log: EventLog, question: Question) -> None:
    llm_id = question.options.llm_id
    if llm_id:
        await require_usable_llm(log.pool, llm_id)
    if not question.options.auto_run:
        return
    match question:
        case FirstQuestion():
            await goals.check_assistant(log.pool, question.user_id, question.assistant_id, llm_id, question.limits)
        case NextQuestion():
            await goals.check_session(log.pool, question.user_id, question.session_id, llm_id)
        case EditedQuestion() | Regeneration():
            await goals.check_session_of_message(log.pool, question.user_id, question.message_id, llm_id)


def _statement(question: Question) -> tuple[Query[StoredQuestion], dict[str, Any]]:
    values: dict[str, Any] = {
        "user_id": question.user_id,
        "api_key_id": question.api_key_id,
        "request_id": question.request_id,
        "options": to_options(question.options),
        "caller": question.caller.stored() if question.caller else None,
        "metadata": dict(question.metadata) or None,
        "run_external_id": question.run_external_id or None,
    }
    if isinstance(question, FirstQuestion | NextQuestion):
        values["document_ids"] = list(question.document_ids)
    if not isinstance(question, Regeneration):
        values |= {"content": question.content, "token_count": count_tokens(question.content)}
    match question:
        case FirstQuestion():
            values |= {"assistant_id": question.assistant_id, "notebook_id": question.notebook_id}
            values["title"] = question.title or _title(question.content)
            values["title_origin"] = "person" if question.title else "question"
            values["author_kind"] = "unknown" if question.holds_words_of_others else "person"
            values["is_unlisted"], values["external_id"] = question.is_unlisted, question.external_id
            values |= limit_columns(question.limits)
            if question.assistant_version:
                return STORE_OF_VERSION, values | {"assistant_version": question.assistant_version}
            return STORE_IN_NEW_SESSION, values
        case NextQuestion():
            values |= {"session_id": question.session_id, "title": _title(question.content)}
            return STORE_AFTER_HEAD, values
        case EditedQuestion():
            return STORE_EDIT, values | {"message_id": question.message_id}
        case Regeneration():
            return STORE_REGENERATION, values | {"message_id": question.message_id}


def _title(content: str) -> str:
    return line_of_words(content, _TITLE_LENGTH)


def _fill(queued: SessionEvent, row: StoredQuestion) -> None:
    """Adds the stored question to the event."""
    queued.queued.assistant_message_id = row.assistant_message_id
    message = queued.queued.user_message
    message.id = row.user_message_id
    message.chat_session_id = row.chat_session_id
    message.role = chat_message_pb2.MESSAGE_ROLE_USER
    message.author_kind = chat_message_pb2.AuthorKind.Value(f"AUTHOR_KIND_{row.author_kind.upper()}")
    message.status = chat_message_pb2.MESSAGE_STATUS_COMPLETED
    message.content = row.content
    message.token_count = row.token_count
    if row.parent_message_id:
        message.parent_message_id = row.parent_message_id
    message.creation_date.FromDatetime(row.asked_at)


async def _store_beside_run(log: EventLog, question: Question) -> Submission:
    """Answers the session's run if it waits for text."""
    if repeated := await _find_request(log, question):
        return repeated
    if isinstance(question, NextQuestion) and (answered := await _answer_run(log, question)):
        return answered
    raise await run_active(log.pool, question)


async def _answer_run(log: EventLog, question: NextQuestion) -> Submission | None:
    run_id = await run_waiting_for_text(log.pool, question.session_id)
    if run_id is None:  # answered in between, perhaps by the same request
        return await _find_request(log, question)
    if question.document_ids:
        raise ValidationFailedError(
            "A run of the conversation waits for your answer, which cannot have documents attached. Answer without "
            "them, and attach them to the next question.",
            documentIds="must be empty for the answer to a run",
        )
    await _require_same_connectors(log.pool, question, run_id)
    try:
        events = await provide_input(log, run_id, question.user_id, question.content, question.request_id)
    except asyncpg.UniqueViolationError:
        return await _repeated(log, question)
    if events is None:  # answered in between, perhaps by the same request
        return await _find_request(log, question)
    stored = await FIND_BY_RUN.fetch_one(log.pool, run_id=run_id)
    return Submission(question=stored, events=events) if stored else None


async def _require_same_connectors(pool: asyncpg.Pool, question: NextQuestion, run_id: UUID) -> None:
    """Refuses an answer that would search other connectors than the run that it answers, which goes on as it began.

    Programs repeat what they gave with the question: the same connectors are no other choice.
    """
    chosen = question.caller.connectors if question.caller else ()
    if chosen and set(chosen) != set(await _CONNECTORS.fetch_one(pool, run_id=run_id) or ()):
        raise ValidationFailedError(
            "A run of the conversation waits for your answer, and goes on with the sources of its question. Answer "
            "without file_search, and choose other vector stores with the next question.",
            tools="must not choose other vector stores for the answer to a run",
        )


async def _repeated(log: EventLog, question: Question) -> Submission:
    found = await _find_request(log, question)
    if found is None:
        raise NotFoundError(
            f"The run of request {question.request_id} was removed.", resource="run", id=question.request_id
        )
    return found


async def _find_request(log: EventLog, question: Question) -> Submission | None:
    if not question.request_id:
        return None
    found = await FIND_BY_REQUEST.fetch_one(log.pool, user_id=question.user_id, request_id=question.request_id)
    if found is None or not await _is_within(log, question, session_id=found.chat_session_id):
        return None
    await require_repetition(log.pool, question)
    return Submission(question=found)


async def _require_within_limits(log: EventLog, question: Question) -> None:
    """Returns if the limits of the asking key allow the session or notebook.

    Raises:
        NotFoundError: The question is in a session that the key did not begin, or in a notebook.
    """
    if question.limits is None:
        return
    match question:
        case FirstQuestion(notebook_id=notebook_id):
            if notebook_id is not None:
                raise NotFoundError(
                    f"There is no notebook {notebook_id} for a key with limits.", resource="notebook", id=notebook_id
                )
        case NextQuestion(session_id=session_id):
            if not await _is_within(log, question, session_id=session_id):
                raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=session_id)
        case EditedQuestion(message_id=message_id) | Regeneration(message_id=message_id):
            if not await _is_within(log, question, message_id=message_id):
                raise NotFoundError(f"There is no message {message_id}.", resource="message", id=message_id)


async def _is_within(log: EventLog, question: Question, *, session_id: int = 0, message_id: int = 0) -> bool:
    """Returns whether a session, or that of a message, began with the asking key, or the key has no limits."""
    if question.limits is None:
        return True
    key_id = question.limits.api_key_id
    if session_id:
        return await _BEGAN.fetch_one(log.pool, session_id=session_id, key_id=key_id) is not None
    return await _BEGAN_OF_MESSAGE.fetch_one(log.pool, message_id=message_id, key_id=key_id) is not None
