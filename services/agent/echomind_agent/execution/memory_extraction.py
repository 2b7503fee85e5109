"""Extracts memories from sessions that rest, by one request to the session's own model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import structlog
from prometheus_client import Counter
from typing_extensions import override

from echomind_agent.evidence.claims import Statement
from echomind_agent.execution.background import complete_for_session
from echomind_agent.execution.models import ChatModels
from echomind_agent.memory.operations import MOST_NEW, NotJsonError, Operation, Shown, read_operations
from echomind_agent.memory.prompt import INSTRUCTIONS, extraction_prompt, messages_part
from echomind_agent.prompts.base import DEFAULT_CONTEXT_TOKENS
from echomind_lib.access import Principal
from echomind_lib.db.statements import Connection
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.events.log import EventLog
from echomind_lib.facts import FactVectors, index_soon
from echomind_lib.jobs import EXTRACT_MEMORIES, Job, JobFailedError, JobHandler
from echomind_lib.learning import IdleSession, begin, mark_read
from echomind_lib.learning.kinds import MEMORIES
from echomind_lib.llms import ChatRequest, LlmError, LlmUnavailable
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.tokens import ModelCounter, count_message_tokens, counter_for
from echomind_lib.memories import Memory
from echomind_lib.memories.rows import (
    added_by,
    close_memories,
    insert_memory,
    list_memories,
    lock_memories,
    read_memories,
    reinforce,
    supersede,
)
from echomind_lib.memories.sessions import (
    SessionMessage,
    memory_is_on_in,
    new_messages,
    note_in_session,
)
from echomind_lib.retrieval import detect_language
from echomind_lib.runs.asker import read_principal

log = structlog.get_logger(__name__)

_OPERATIONS = Counter("echomind_memory_operations_total", "Operations on memories that models proposed.", ["outcome"])

MOST_CANDIDATES: Final = 10
"""Memories that the model is shown."""
SAME_COSINE: Final = 0.95
"""Cosine from which two memories say the same."""
_QUERIES: Final = 8
_RECENT: Final = 20
"""Newest memories that are compared too: their vectors may not be there yet."""
_MOST_ID: Final = 2**31 - 1
_ANSWER_TOKENS: Final = 2_048
_REQUEST_SECONDS: Final = 180.0
_LEAST_ROOM: Final = 512
_MOST_ANSWERS: Final = 3
"""Attempts at a session whose model does not write operations: each of them costs."""
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Changes:
    """What an extraction has changed."""

    added: int = 0
    confirmed: int = 0
    replaced: int = 0
    removed: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.replaced or self.removed)

    def __str__(self) -> str:
        parts = [("added", self.added), ("replaced", self.replaced), ("removed", self.removed)]
        return f"Memories: {', '.join(f'{number} {word}' for word, number in parts if number)}"


class MemoryExtraction(JobHandler[Changes]):
    """Lets a model propose operations on the memories of a session's owner, and carries out what stands the checks."""

    kind = EXTRACT_MEMORIES

    def __init__(self, event_log: EventLog, models: ChatModels, facts: FactVectors, idle_minutes: float) -> None:
        self._log, self._pool = event_log, event_log.pool
        self._models, self._facts, self._idle_minutes = models, facts, idle_minutes

    @override
    async def work(self, job: Job) -> Changes:
        """Extracts what was said since the last time; nothing when the session is used again, or memory is off."""
        session = await begin(self._pool, job, MEMORIES, self._idle_minutes)
        if session is None:
            return Changes()
        messages = await new_messages(self._pool, session)
        is_wanted = any(message.is_owners and not message.was_read for message in messages)
        if not (is_wanted and session.can_learn and await memory_is_on_in(self._pool, session.id)):
            await mark_read(self._pool, job, MEMORIES.kind, session)
            return Changes()
        try:
            return await self._extract(job, session, messages)
        except PermissionDeniedError:  # the account was deactivated
            return Changes()
        except LlmError as error:
            raise JobFailedError(error.message, retryable=error.retryable, retry_after=error.retry_after) from error
        except NotJsonError as error:
            log.warning("the model wrote no operations", job=job.id, error=str(error))
            reason = "The model did not answer in the form it was asked for."
            raise JobFailedError(reason, retryable=job.attempt < _MOST_ANSWERS) from error

    async def _extract(self, job: Job, session: IdleSession, messages: Sequence[SessionMessage]) -> Changes:
        record = session.model
        assert record is not None  # it can learn
        count = counter_for(record)
        room = self._room(record, count)
        conversation, covered = messages_part(messages, room, count)
        if messages[covered - 1].was_read:  # the context alone fills the room
            messages = [message for message in messages if not message.was_read]
            conversation, covered = messages_part(messages, room, count)
        if covered < len(messages):
            # What is left is found again, as the session counts as read to long ago.
            session = replace(session, last_message_id=messages[covered - 1].id, last_message_at=_LONG_AGO)
        said = {
            message.id: message.content for message in messages[:covered] if message.is_owners and not message.was_read
        }
        owner = await read_principal(self._pool, session.user_id)
        candidates = await self._candidates(owner, list(said.values()))
        written = await self._ask(session, record, count, conversation, candidates)
        may_add = MOST_NEW - await added_by(self._pool, session.id)
        shown = Shown(session_id=session.id, messages=said, candidates=candidates, may_add=may_add)
        operations, dropped = read_operations(written, shown)
        _OPERATIONS.labels("dropped").inc(dropped)
        changes = await self._store(job, session, owner, operations)
        log.info("memories extracted", session_id=session.id, operations=len(operations), dropped=dropped)
        return changes

    @staticmethod
    def _room(record: LlmRecord, count: ModelCounter) -> int:
        """Returns the tokens that the conversation may take."""
        window = record.context_tokens or DEFAULT_CONTEXT_TOKENS
        room = window - min(_ANSWER_TOKENS, window // 4) - 2 * count(INSTRUCTIONS)
        if room < _LEAST_ROOM:
            raise LlmUnavailable(f"The chat model's window of {window} tokens is too small to extract memories.")
        return room

    async def _candidates(self, owner: Principal, said: Sequence[str]) -> list[Memory]:
        """Returns memories that what the person said may be about, the likeliest first."""
        scopes = [f"user_{owner.user_id}"]
        likeness: dict[int, float] = {}
        for text in said[-_QUERIES:]:
            for found in await self._facts.search("memory", scopes, text, MOST_CANDIDATES):
                likeness[found.id] = max(likeness.get(found.id, 0.0), found.cosine)
        memories = await read_memories(self._pool, owner, list(likeness))
        best = sorted(memories, key=lambda memory: -likeness[memory.id])[:MOST_CANDIDATES]
        known = {memory.id for memory in best}
        recent = await list_memories(self._pool, owner, before=_MOST_ID, most=MOST_CANDIDATES)
        return (best + [memory for memory in recent if memory.id not in known])[:MOST_CANDIDATES]

    async def _ask(
        self,
        session: IdleSession,
        record: LlmRecord,
        count: ModelCounter,
        conversation: str,
        candidates: Sequence[Memory],
    ) -> str:
        """Returns what the model writes. Its usage is the session's, whatever becomes of it."""
        model = self._models.of(record, session.assistant_id)
        prompt = extraction_prompt(conversation, candidates, datetime.now(UTC))
        answer = min(record.max_tokens or _ANSWER_TOKENS, _ANSWER_TOKENS)
        request = ChatRequest(prompt, max_tokens=answer)
        completion = await complete_for_session(
            self._pool, session.id, record, model, request, seconds=_REQUEST_SECONDS
        )
        count.observe(count_message_tokens(prompt, count), completion.usage)
        return completion.text

    async def _store(
        self, job: Job, session: IdleSession, owner: Principal, operations: Sequence[Operation]
    ) -> Changes:
        """Carries operations out, moves the watermark and notes it in the session: all of it or nothing."""
        changes = Changes()
        async with self._log.transaction() as transaction:
            connection = transaction.connection
            # Two sessions that say the same may be extracted from at the same time.
            await lock_memories(connection, owner.user_id)
            texts = [each.memory.content for each in operations if each.memory is not None]
            same = await self._same(connection, owner, texts)
            if not await mark_read(connection, job, MEMORIES.kind, session):
                return Changes()
            for operation in operations:
                await _carry_out(connection, owner.user_id, operation, same, changes)
            if changes:
                await note_in_session(transaction, session.id, str(changes))
        if changes:
            await index_soon(self._pool, self._log.bus)
        for outcome in ("added", "confirmed", "replaced", "removed"):
            _OPERATIONS.labels(outcome).inc(getattr(changes, outcome))
        return changes

    async def _same(self, connection: Connection, owner: Principal, texts: Sequence[str]) -> dict[str, Memory]:
        """Returns the memories that say the same as texts, by text."""
        if not texts:
            return {}
        recent = await list_memories(connection, owner, before=_MOST_ID, most=_RECENT)
        near: dict[int, Memory] = {memory.id: memory for memory in recent}
        for text in texts:
            found = await self._facts.search("memory", [f"user_{owner.user_id}"], text, 5)
            ids = [each.id for each in found if each.cosine >= SAME_COSINE and each.id not in near]
            near |= {memory.id: memory for memory in await read_memories(connection, owner, ids)}
        known = list(near.values())
        if not known:
            return {}
        vectors = await self._facts.embed([*texts, *(memory.content for memory in known)])
        cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
        same: dict[str, Memory] = {}
        for text, row in zip(texts, cosines, strict=True):
            for memory, cosine in sorted(zip(known, row, strict=True), key=lambda pair: -pair[1]):
                if cosine >= SAME_COSINE and says_the_same(text, memory.content):
                    same.setdefault(text, memory)
        return same


def says_the_same(one: str, other: str) -> bool:
    """Returns whether two texts that mean nearly the same have the same figures and names, and deny alike."""
    language = detect_language(other)
    a, b = Statement(one, language), Statement(other, language)
    return a.figures == b.figures and a.names == b.names and a.negated == b.negated


async def _carry_out(
    connection: Connection,
    user_id: int,
    operation: Operation,
    same: dict[str, Memory],
    changes: Changes,
) -> None:
    """Carries one operation out, as far as the memories that it is about still count."""
    memory, targets = operation.memory, [target.id for target in operation.targets]
    known = same.get(memory.content) if memory else None
    if memory is None:
        changes.removed += await close_memories(connection, user_id, targets)
    elif known is not None and (not targets or known.id in targets) and known.memory_type == memory.memory_type:
        if memory.trust == "user_said":  # an answer that repeats what it was given confirms nothing
            await reinforce(connection, user_id, known.id, importance=memory.importance, message_ids=memory.message_ids)
            changes.confirmed += 1
    elif not targets:
        await insert_memory(connection, user_id, memory)
        changes.added += 1
    elif await supersede(connection, user_id, targets, memory) is not None:  # its owner may have removed one meanwhile
        changes.replaced += len(targets)
