"""The background job of evaluations: asks their questions, a few at a time, and measures the answers.

Questions are asked through `submit` in sessions of their own that no list shows, with the rights of who started the
evaluation. Each has a request id of its result, so that the next worker finds a question again that was stored by a
worker which was killed before it noted that.
"""

import asyncio
import time
from typing import Final

import structlog
from typing_extensions import override

from echomind_agent.evaluation import store
from echomind_agent.evaluation.judge import NOT_JUDGED, Judgement, judge
from echomind_agent.evaluation.questions import AskedQuestion, Question
from echomind_agent.evaluation.scores import EvaluationScores, result_scores
from echomind_agent.evaluation.scoring import Expected, found_of, score
from echomind_agent.llms.models import ChatModels
from echomind_lib.conversations import usage
from echomind_lib.conversations.questions import FirstQuestion, submit
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.errors import EchoMindError, LlmUnavailableError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.jobs import RUN_EVALUATIONS, Job, JobHandler, enqueue
from echomind_lib.llms import Usage
from echomind_lib.models.public import RunOptions
from echomind_lib.quotas import charging
from echomind_lib.runs.asker import read_principal
from echomind_lib.runs.caller import Caller
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.states import is_final

log = structlog.get_logger(__name__)

EVALUATION_CONCURRENCY: Final = 2
"""Default maximum number of questions of evaluations that are answered at the same time."""
_SLICE_SECONDS: Final = 20.0
"""After this time the job is requested again, behind other jobs that wait."""
_LOOK_SECONDS: Final = 0.25
"""Interval at which the runs of questions are looked at."""
_WAITS_FOR_PERSON: Final = ("waiting_for_input", "paused")
_WAITED: Final = "The run waited for a person, whom an evaluation does not have."
_DELETED: Final = "The conversation of the question was deleted."
_CANCELLED: Final = "The run was cancelled."
_TIMED_OUT: Final = "The run took too long."
_USED_UP: Final = "A quota of whoever started the evaluation is used up."
_FAULT: Final = "An answer could not be measured; the log of the agent service says more."
_CHANGED: Final = "The assistant was changed while it was evaluated. Start another evaluation."


class EvaluationRunner(JobHandler[bool]):
    """Works on all running evaluations; the result of a job is whether some are left."""

    kind = RUN_EVALUATIONS

    def __init__(
        self, event_log: EventLog, models: ChatModels, concurrency: int, scores: EvaluationScores | None = None
    ) -> None:
        """Initializes it.

        Args:
            event_log: The event log.
            models: The chat models, for judges.
            concurrency: Maximum number of questions that are answered at the same time.
            scores: Sends results as scores of traces; None for nobody who takes them.
        """
        self._scores = scores
        self._log, self._pool, self._models = event_log, event_log.pool, models
        self._concurrency = concurrency

    @override
    async def work(self, job: Job) -> bool:
        until = time.monotonic() + _SLICE_SECONDS
        while await self._advance(job):
            if time.monotonic() > until:
                return True
            await asyncio.sleep(_LOOK_SECONDS)
        return False

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: bool) -> None:
        if result:
            await enqueue(transaction.connection, RUN_EVALUATIONS)

    @override
    async def failed(self, transaction: LogTransaction, job: Job, reason: str) -> None:
        for evaluation_id in await store.running_evaluations(transaction.connection):
            for run_id in await store.fail(transaction.connection, evaluation_id, reason):
                await move_run(self._log, run_id, "cancelled")

    async def _advance(self, job: Job) -> bool:
        """Measures what was answered, and asks what there is room for; returns whether evaluations are left."""
        at_work = 0
        for question in await store.asked_questions(self._pool):
            at_work += await self._collect_or_fail(job, question)
        while at_work < self._concurrency:
            waiting = await store.next_question(self._pool)
            if waiting is None or await store.others_wait(self._pool):
                break
            at_work += await self._ask(job, waiting)
        await store.complete_finished(self._pool, job)
        return bool(await store.running_evaluations(self._pool))

    async def _ask(self, job: Job, question: Question) -> bool:
        """Asks a question; returns whether it is being answered. Fails its evaluation if it may not be asked."""
        try:
            await read_principal(self._pool, question.user_id)
            submission = await submit(self._log, question_to_ask(question))
        except EchoMindError as error:
            if error.retryable:
                raise
            await self._fail(question.evaluation_id, error.message)
            return False
        if await store.begin(self._pool, job, question.id, submission.run_id):
            return True
        await move_run(self._log, submission.run_id, "cancelled")
        return False

    async def _collect_or_fail(self, job: Job, question: AskedQuestion) -> bool:
        """As `_collect`; a question that cannot be measured fails its evaluation, and no other person's."""
        try:
            return await self._collect(job, question)
        except DATABASE_FAILURES:
            raise
        except Exception as error:
            if isinstance(error, EchoMindError) and error.retryable:
                raise
            log.exception("answer could not be measured", evaluation=question.evaluation_id, question=question.id)
            await self._fail(question.evaluation_id, error.message if isinstance(error, EchoMindError) else _FAULT)
            return False

    async def _collect(self, job: Job, question: AskedQuestion) -> bool:
        """Measures a question whose run has ended; returns whether it is still being answered."""
        if question.status in _WAITS_FOR_PERSON and question.run_id is not None:
            await move_run(self._log, question.run_id, "cancelled")
        elif question.status is not None and not is_final(question.status):
            return True
        if question.status is not None and (question.run_version or 0) != question.version:
            await self._fail(question.evaluation_id, _CHANGED)
            return False
        await self._measure(job, question)
        return False

    async def _measure(self, job: Job, question: AskedQuestion) -> None:
        expected, error = Expected(**question.expected), _error_of(question)
        answer = "" if error else question.answer or ""
        calls = await store.calls_of(self._pool, question.chat_session_id) if question.chat_session_id else []
        ids = {int(source.get("documentId", 0)) for call in calls for source in call.sources or ()}
        names = await store.file_names(self._pool, sorted(ids)) if ids else {}
        found = found_of(((call.sources, call.result) for call in calls), names)
        measured = score(expected, answer, found)
        cited = await store.count_citations(self._pool, question.message_id or 0)
        judgement = await self._judge(question, expected, answer, error)
        await store.end(
            self._pool,
            job,
            question,
            error=error,
            answer=answer,
            score=measured,
            cited=cited,
            judgement=judgement,
        )
        if self._scores is None or question.run_id is None:
            return
        for each in result_scores(
            question.run_id,
            measured,
            citations=cited.citations,
            supported_citations=cited.supported,
            judgement=judgement,
        ):
            self._scores.put(each)

    async def _judge(self, question: AskedQuestion, expected: Expected, answer: str, error: str | None) -> Judgement:
        if question.judge_llm_id is None or not expected.is_judgeable:
            return NOT_JUDGED
        if error is not None:
            return Judgement(score=0.0, reason=error)
        try:
            model = self._models.of(question.judge, question.assistant_id)
        except LlmUnavailableError as failure:
            return Judgement(reason=failure.message)
        assert question.judge is not None  # `of` raises without a model
        user_id, key_id = question.user_id, question.api_key_id
        if await charging.charge_person(self._pool, user_id, 0, 0, api_key_id=key_id):
            return Judgement(reason=_USED_UP)
        found = await judge(model, question.judge, expected, answer)
        # At once, as the provider bills it whatever becomes of this attempt.
        await usage.count(
            self._pool,
            user_id,
            "judgement",
            Usage(found.prompt_tokens, found.completion_tokens),
            found.cost,
            llm_id=question.judge_llm_id,
            assistant_id=question.assistant_id,
            api_key_id=key_id,
        )
        return found

    async def _fail(self, evaluation_id: int, reason: str) -> None:
        log.info("evaluation failed", evaluation=evaluation_id, reason=reason)
        for run_id in await store.fail(self._pool, evaluation_id, reason):
            await move_run(self._log, run_id, "cancelled")


def question_to_ask(question: Question) -> FirstQuestion:
    """Returns a question of a dataset as it is asked.

    Nobody reads along, and other people may have written the dataset: the run is untrusted from its beginning, so that
    no call of it changes anything for whoever started the evaluation, or sends data out by a tool that needs approval
    for that. Web searches need none unless the installation is set so, and trusted MCP servers need none.
    """
    return FirstQuestion(
        user_id=question.user_id,
        api_key_id=question.api_key_id,
        request_id=f"evaluation:{question.id}",
        content=question.expected["question"],
        assistant_id=question.assistant_id,
        assistant_version=question.older_version or 0,
        options=RunOptions(ask_clarifications=False),
        metadata={"evaluation": str(question.evaluation_id)},
        is_unlisted=True,
        caller=Caller(is_question_untrusted=True),
    )


def _error_of(question: AskedQuestion) -> str | None:
    """Returns why a question was not answered; None if it was."""
    if question.status is None:
        return _DELETED
    if question.status in _WAITS_FOR_PERSON:
        return _WAITED
    if question.status == "completed":
        return None
    if question.error is not None:
        return str(question.error["message"])
    return _CANCELLED if question.status == "cancelled" else _TIMED_OUT
