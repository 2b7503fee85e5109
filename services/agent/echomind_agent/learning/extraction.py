"""Extraction from idle sessions: one request to the session's own model for each kind of learning."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Generic

import structlog
from prometheus_client import Counter
from typing_extensions import TypeVar, override

from echomind_agent.learning.material import messages_part
from echomind_agent.learning.proposals import Known, NotJsonError, Operation, Shown
from echomind_agent.learning.similarity import SimilaritySearch, Store
from echomind_agent.llms.background import complete_for_session
from echomind_agent.llms.models import ChatModels
from echomind_agent.prompts.base import DEFAULT_CONTEXT_TOKENS
from echomind_lib.access import Principal
from echomind_lib.db.statements import Connection
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import Job, JobFailedError, JobHandler
from echomind_lib.jobs.kinds import JobKind
from echomind_lib.learned.facts import FactVectors, index_soon
from echomind_lib.learned.sessions import (
    INVALID_FORM,
    IdleSession,
    Learning,
    SessionMessage,
    begin,
    mark_read,
    may_learn_from,
    new_messages,
    note_in_session,
)
from echomind_lib.llms import ChatRequest, LlmError, LlmUnavailable, Message
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.schemas import Schema
from echomind_lib.llms.tokens import ModelCounter, count_message_tokens, counter_for
from echomind_lib.runs.asker import read_principal

log = structlog.get_logger(__name__)

_OPERATIONS = Counter(
    "echomind_learning_operations_total", "Operations on what is known that models proposed.", ["kind", "outcome"]
)
_ANSWER_TOKENS: Final = 2_048
_REQUEST_SECONDS: Final = 180.0
_LEAST_ROOM: Final = 512
_MAX_ANSWERS: Final = 2
"""Maximum attempts if the model's output is invalid, as each of them costs."""
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)

New = TypeVar("New")


@dataclass(slots=True)
class Changes:
    """The changes made by an extraction."""

    added: int = 0
    confirmed: int = 0
    replaced: int = 0
    removed: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.replaced or self.removed)

    def __str__(self) -> str:
        parts = [("added", self.added), ("replaced", self.replaced), ("removed", self.removed)]
        return ", ".join(f"{number} {word}" for word, number in parts if number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction(Generic[Known, New]):
    """What differs between extractions of different kinds of facts.

    Attributes:
        job: The kind of its jobs.
        learning: The kind of learning.
        title: The kind of learning, for display.
        instructions: Instructions for the model, whose tokens are reserved.
        max_new: Maximum number of additions from one session, over all extractions.
        store: The known facts.
        prompt: Returns the messages for the model, of a conversation, known facts and the present time.
        schema: Returns the schema of the model's answer.
        read: Returns the valid operations of an answer, and the number of dropped ones; raises `NotJsonError` if it is
            not a list.
        text_of: Returns the text of a new fact that is embedded.
        added_by: Returns the number of additions from a session so far.
        carry_out: Executes an operation of the session's owner in a transaction, if its targets are still current, and
            updates the counts; `known` is an existing fact with the same content.
    """

    job: JobKind
    learning: Learning
    title: str
    instructions: str
    max_new: int
    store: Store[Known]
    prompt: Callable[[str, Sequence[Known], datetime], list[Message]]
    schema: Callable[[Shown[Known]], Schema]
    read: Callable[[str, Shown[Known]], tuple[list[Operation[Known, New]], int]]
    text_of: Callable[[New], str]
    added_by: Callable[[Connection, int], Awaitable[int]]
    carry_out: Callable[[Connection, int, Operation[Known, New], Known | None, Changes], Awaitable[None]]


class SessionExtraction(JobHandler[Changes], Generic[Known, New]):
    """Requests operations on the owner's knowledge from a model, and executes those that pass the checks."""

    def __init__(
        self,
        event_log: EventLog,
        models: ChatModels,
        facts: FactVectors,
        idle_minutes: float,
        extraction: Extraction[Known, New],
    ) -> None:
        self._log, self._pool = event_log, event_log.pool
        self._models, self._idle_minutes = models, idle_minutes
        self._known = SimilaritySearch(facts, extraction.store)
        self._of, self.kind = extraction, extraction.job

    @override
    async def work(self, job: Job) -> Changes:
        """Extracts facts from new messages; nothing if the session is in use again, learning pauses or is off."""
        session = await begin(self._pool, job, self._of.learning, self._idle_minutes)
        if session is None or session.is_paused:
            return Changes()
        messages = await new_messages(self._pool, session)
        if not await self._is_enabled(session, messages):
            await mark_read(self._pool, job, self._of.learning.kind, session)
            return Changes()
        try:
            return await self._extract(job, session, messages)
        except PermissionDeniedError:  # the account was deactivated
            return Changes()
        except LlmError as error:
            raise JobFailedError(error.message, retryable=error.retryable, retry_after=error.retry_after) from error
        except NotJsonError as error:
            log.warning("model output has no operations", job=job.id, error=str(error))
            raise JobFailedError(INVALID_FORM, retryable=job.attempt < _MAX_ANSWERS) from error

    async def _is_enabled(self, session: IdleSession, messages: Sequence[SessionMessage]) -> bool:
        if not session.can_learn:
            return False
        has_news = any(message.is_owners and not message.was_read for message in messages)
        return has_news and await may_learn_from(self._pool, session.id)

    async def _extract(self, job: Job, session: IdleSession, messages: Sequence[SessionMessage]) -> Changes:
        record = session.model
        assert record is not None  # `_is_enabled` requires a model
        count = counter_for(record)
        room = self._room(record, count)
        conversation, covered = messages_part(messages, room, count)
        if messages[covered - 1].was_read:  # the context messages alone exceed the limit
            messages = [message for message in messages if not message.was_read]
            conversation, covered = messages_part(messages, room, count)
        if covered < len(messages):
            # The remaining messages are found by the next job, as `read_to` is set far in the past.
            session = replace(session, last_message_id=messages[covered - 1].id, last_message_at=_LONG_AGO)
        texts = {
            message.id: message.content for message in messages[:covered] if message.is_owners and not message.was_read
        }
        owner = await read_principal(self._pool, session.user_id)
        candidates = await self._known.candidates(self._pool, owner, list(texts.values()))
        may_add = self._of.max_new - await self._of.added_by(self._pool, session.id)
        shown = Shown(session_id=session.id, messages=texts, candidates=candidates, may_add=may_add)
        prompt = self._of.prompt(conversation, candidates, datetime.now(UTC))
        written = await self._ask(session, record, count, prompt, self._of.schema(shown))
        operations, dropped = self._of.read(written, shown)
        changes = await self._execute(job, session, owner, operations)
        _OPERATIONS.labels(self._of.learning.kind, "dropped").inc(dropped)
        log.info(
            "extracted",
            kind=self._of.learning.kind,
            session_id=session.id,
            operations=len(operations),
            dropped=dropped,
        )
        return changes

    def _room(self, record: LlmRecord, count: ModelCounter) -> int:
        """Returns the maximum tokens of the conversation in the prompt."""
        window = record.context_tokens or DEFAULT_CONTEXT_TOKENS
        room = window - min(_ANSWER_TOKENS, window // 4) - 2 * count(self._of.instructions)
        if room < _LEAST_ROOM:
            raise LlmUnavailable(f"The chat model's window of {window} tokens is too small to learn from sessions.")
        return room

    async def _ask(
        self, session: IdleSession, record: LlmRecord, count: ModelCounter, prompt: list[Message], schema: Schema
    ) -> str:
        """Returns the model's output. Its usage is counted for the session, even if the output is discarded."""
        model = self._models.of(record, session.assistant_id)
        answer = min(record.max_tokens or _ANSWER_TOKENS, _ANSWER_TOKENS)
        request = ChatRequest(prompt, max_tokens=answer, answer_schema=schema)
        completion = await complete_for_session(
            self._pool, session.id, "learning", record, model, request, seconds=_REQUEST_SECONDS
        )
        count.observe(count_message_tokens(prompt, count), completion.usage)
        return completion.text

    async def _execute(
        self, job: Job, session: IdleSession, owner: Principal, operations: Sequence[Operation[Known, New]]
    ) -> Changes:
        """Executes operations, moves the watermark and stores the event, in one transaction."""
        changes = Changes()
        async with self._log.transaction() as transaction:
            connection = transaction.connection
            # Jobs of two sessions may extract the same fact concurrently.
            await self._known.store.lock(connection, owner)
            texts = [self._of.text_of(each.new) for each in operations if each.new is not None]
            same = await self._known.same(connection, owner, texts)
            if not await mark_read(connection, job, self._of.learning.kind, session):
                return Changes()
            # The session may have been removed, or memory switched off, while the model answered.
            if not await may_learn_from(connection, session.id):
                return Changes()
            for operation in operations:
                known = None if operation.new is None else same.get(self._of.text_of(operation.new))
                await self._of.carry_out(connection, owner.user_id, operation, known, changes)
            if changes:
                await note_in_session(transaction, session.id, f"{self._of.title}: {changes}")
        if changes:
            await index_soon(self._pool, self._log.bus)
        for outcome in ("added", "confirmed", "replaced", "removed"):
            _OPERATIONS.labels(self._of.learning.kind, outcome).inc(getattr(changes, outcome))
        return changes
