"""Extracts lessons from failed runs, for their user."""

from typing import Final
from uuid import UUID

import structlog
from typing_extensions import override

from echomind_agent.learning.knowledge.extraction import KnowledgeStore
from echomind_agent.learning.knowledge.lesson_prompt import lesson_prompt
from echomind_agent.learning.knowledge.operations import Operation, Shown, lesson_schema, read_lesson
from echomind_agent.learning.proposals import NotJsonError
from echomind_agent.learning.similarity import SimilaritySearch
from echomind_agent.llms.background import complete_for_session
from echomind_agent.llms.models import ChatModels
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.jobs import INDEX_FACTS, LEARN_FROM_RUN, Job, JobFailedError, JobHandler, enqueue
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.entities import ERROR_LESSON, confirm_entity, insert_entity, merge_entities
from echomind_lib.learned.sessions import note_in_session
from echomind_lib.learned.sessions.failed_runs import FailedRun, last_calls, read_failed
from echomind_lib.llms import ChatRequest, LlmError
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.tokens import count_message_tokens, counter_for
from echomind_lib.plans.todos import plan_of
from echomind_lib.runs.asker import read_principal

log = structlog.get_logger(__name__)

_SECONDS: Final = 120.0
_ANSWER_TOKENS: Final = 1_024
_MAX_ANSWERS: Final = 3
"""Maximum attempts if the model's output is invalid."""


class LessonWriter(JobHandler[Operation | None]):
    """Requests a short lesson from the model of a failed run, and stores it if it passes the checks.

    The lesson is stored in the transaction that ends the job, so exactly once.
    """

    kind = LEARN_FROM_RUN

    def __init__(self, event_log: EventLog, models: ChatModels, facts: FactVectors) -> None:
        self._pool, self._models = event_log.pool, models
        self._known = SimilaritySearch(facts, KnowledgeStore())

    @override
    async def work(self, job: Job) -> Operation | None:
        """Returns the lesson; None if there is none, or it is not allowed."""
        run = await read_failed(self._pool, UUID(job.subject_id))
        if run is None or run.model is None or run.model.is_extractive:
            return None
        try:
            return await self._draw(run, run.model)
        except PermissionDeniedError:  # the account was deactivated
            return None
        except LlmError as error:
            raise JobFailedError(error.message, retryable=error.retryable, retry_after=error.retry_after) from error
        except NotJsonError as error:
            log.warning("model output has no lesson", job=job.id, error=str(error))
            raise JobFailedError(
                "The model did not answer in the form it was asked for.", retryable=job.attempt < _MAX_ANSWERS
            ) from error

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: Operation | None) -> None:
        if result is None or (new := result.new) is None:
            return
        run = await read_failed(self._pool, UUID(job.subject_id))
        if run is None:  # the run was removed, or memory switched off meanwhile
            return
        connection, store = transaction.connection, self._known.store
        try:
            owner = await read_principal(self._pool, run.user_id)
        except PermissionDeniedError:  # the account was deactivated meanwhile
            return
        await store.lock(connection, owner)
        same = (await self._known.same(connection, owner, [new.text])).get(new.text)
        targets = [target.id for target in result.targets]
        if same is not None and targets in ([], [same.id]):
            is_kept = await confirm_entity(connection, run.user_id, same.id, new)
        elif targets:
            is_kept = await merge_entities(connection, run.user_id, targets, new)
        else:
            is_kept = await insert_entity(connection, run.user_id, new) is not None
        if is_kept:
            await enqueue(connection, INDEX_FACTS)
            await note_in_session(transaction, run.chat_session_id, "Learned from the failed run")

    async def _draw(self, run: FailedRun, record: LlmRecord) -> Operation | None:
        owner = await read_principal(self._pool, run.user_id)
        near = await self._known.candidates(self._pool, owner, [f"{run.task}\n{run.error}"])
        lessons = [each for each in near if each.category == ERROR_LESSON]
        count = counter_for(record)
        calls, plan = await last_calls(self._pool, run.id), await plan_of(self._pool, run.id)
        prompt = lesson_prompt(run, calls, plan, lessons, count)
        session_id = run.chat_session_id
        shown = Shown(session_id=session_id, messages={}, candidates=lessons)
        answer = min(record.max_tokens or _ANSWER_TOKENS, _ANSWER_TOKENS)
        request = ChatRequest(prompt, max_tokens=answer, answer_schema=lesson_schema(shown))
        model = self._models.of(record, run.assistant_id)
        completion = await complete_for_session(
            self._pool, session_id, "learning", record, model, request, seconds=_SECONDS
        )
        count.observe(count_message_tokens(prompt, count), completion.usage)
        return read_lesson(completion.text, shown, run_id=run.id)
