"""The statements of evaluations: which questions are next or being answered, and what came of them.

Every write of a question requires that its evaluation is running and that the job holds its lease.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    REAL,
    BigInteger,
    ColumnElement,
    Integer,
    Numeric,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from echomind_agent.evaluation.judge import Judgement
from echomind_agent.evaluation.questions import AskedQuestion, Question
from echomind_agent.evaluation.scoring import Score
from echomind_lib.db.models import (
    Assistant,
    AssistantMember,
    AssistantVersion,
    ChatMessage,
    ChatMessageDocument,
    Document,
    EvaluationResult,
    EvaluationRun,
    Llm,
    Run,
    Step,
    ToolCall,
)
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.documents.names import FILE_NAME
from echomind_lib.jobs import Job
from echomind_lib.jobs.lease import held_job
from echomind_lib.llms.rows import model_part


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOfRun:
    """A tool call of a question."""

    sources: list[dict[str, Any]] | None
    result: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileName:
    """The name of a document's file."""

    id: int
    file_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCitations:
    """The cited sentences of an answer."""

    citations: int
    supported: int


_is_running = and_(EvaluationRun.id == EvaluationResult.evaluation_run_id, EvaluationRun.status == "running")
_active = aliased(EvaluationResult, name="active")
_at_work = (
    select(func.count())
    .where(_active.evaluation_run_id == EvaluationRun.id, _active.status == "running")
    .scalar_subquery()
)
_leads = or_(
    AssistantVersion.config.has_key("members"),
    exists().where(AssistantMember.assistant_id == EvaluationRun.assistant_id),
)
_NEXT: Final = Query(
    select(
        EvaluationResult.id,
        EvaluationRun.id.label("evaluation_id"),
        EvaluationRun.user_id,
        EvaluationRun.api_key_id,
        EvaluationRun.assistant_id,
        case((~_leads, AssistantVersion.version)).label("older_version"),
        EvaluationResult.expected,
    )
    .join(EvaluationRun, _is_running)
    .join(Assistant, Assistant.id == EvaluationRun.assistant_id)
    .outerjoin(
        AssistantVersion,
        and_(
            AssistantVersion.assistant_id == Assistant.id,
            AssistantVersion.version == EvaluationRun.assistant_version,
            AssistantVersion.version < Assistant.version,
        ),
    )
    .where(EvaluationResult.status == "pending")
    .order_by(_at_work, EvaluationResult.id)
    .limit(1),
    Question,
)
_answer = aliased(ChatMessage, name="answer")
_ASKED: Final = Query(
    select(
        EvaluationResult.id,
        EvaluationRun.id.label("evaluation_id"),
        EvaluationRun.user_id,
        EvaluationRun.api_key_id,
        EvaluationRun.assistant_id,
        EvaluationRun.assistant_version.label("version"),
        *model_part("judge", Llm),
        EvaluationRun.judge_llm_id,
        EvaluationResult.expected,
        EvaluationResult.run_id,
        Run.chat_session_id,
        Run.status,
        Run.assistant_version.label("run_version"),
        Run.error,
        _answer.id.label("message_id"),
        _answer.content.label("answer"),
        func.coalesce(Run.prompt_tokens + Run.completion_tokens, 0).label("tokens"),
        Run.cost,
        Run.duration_ms,
    )
    .join(EvaluationRun, _is_running)
    .outerjoin(Llm, and_(Llm.id == EvaluationRun.judge_llm_id, Llm.deleted_date.is_(None), Llm.is_active))
    .outerjoin(Run, Run.id == EvaluationResult.run_id)
    .outerjoin(_answer, and_(_answer.run_id == Run.id, _answer.role == "assistant"))
    .where(EvaluationResult.status == "running")
    .order_by(EvaluationResult.id),
    AskedQuestion,
)
_CALLS: Final = Query(
    select(ToolCall.sources, ToolCall.result)
    .join(Step, Step.id == ToolCall.step_id)
    .join(Run, Run.id == Step.run_id)
    .where(Run.chat_session_id == bindparam("session_id", type_=Integer))
    .order_by(ToolCall.id),
    CallOfRun,
)
_FILE_NAMES: Final = Query(
    select(Document.id, FILE_NAME).where(Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger)))), FileName
)
_CITATIONS: Final = Query(
    select(
        func.count().label("citations"),
        func.count().filter(ChatMessageDocument.supported.is_(True)).label("supported"),
    ).where(ChatMessageDocument.chat_message_id == bindparam("message_id", type_=BigInteger)),
    CountedCitations,
)
_of_evaluation = aliased(EvaluationResult, name="of_evaluation")
_OTHERS_WAIT: Final = Query(
    select(
        exists()
        .where(
            Run.status == "queued",
            ~Run.held_back,
            ~exists().where(_of_evaluation.run_id == Run.id, _of_evaluation.status == "running"),
        )
        .label("others_wait")
    ),
    bool,
)


def _writable() -> ColumnElement[bool]:
    """Returns the condition that a question's evaluation, which it locks, is running and the job's lease is held."""
    running = select(EvaluationRun.id).where(_is_running).with_for_update(key_share=True).correlate(EvaluationResult)
    return and_(running.exists(), exists(select(held_job().c.id)))


_result_id = bindparam("result_id", type_=BigInteger)
_BEGIN: Final = Command(
    update(EvaluationResult)
    .where(EvaluationResult.id == _result_id, EvaluationResult.status == "pending", _writable())
    .values(status="running", run_id=bindparam("run_id", type_=Uuid))
)
_END: Final = Command(
    update(EvaluationResult)
    .where(EvaluationResult.id == _result_id, EvaluationResult.status == "running", _writable())
    .values(
        status=bindparam("status", type_=Text),
        error=bindparam("error", type_=Text),
        answer=bindparam("answer", type_=Text),
        rank=bindparam("rank", type_=Integer),
        document_share=bindparam("document_share", type_=REAL),
        passage_share=bindparam("passage_share", type_=REAL),
        fact_share=bindparam("fact_share", type_=REAL),
        missing=bindparam("missing", type_=ARRAY(Text)),
        citations=bindparam("citations", type_=Integer),
        supported_citations=bindparam("supported_citations", type_=Integer),
        judge_score=bindparam("judge_score", type_=REAL),
        judge_reason=bindparam("judge_reason", type_=Text),
        judge_prompt_tokens=bindparam("judge_prompt_tokens", type_=BigInteger),
        judge_completion_tokens=bindparam("judge_completion_tokens", type_=BigInteger),
        judge_cost=bindparam("judge_cost", type_=Numeric),
        tokens=bindparam("tokens", type_=BigInteger),
        cost=bindparam("cost", type_=Numeric),
        duration_ms=bindparam("duration_ms", type_=BigInteger),
    )
)
_unfinished = aliased(EvaluationResult, name="unfinished")
_COMPLETE: Final = Command(
    update(EvaluationRun)
    .where(
        EvaluationRun.status == "running",
        ~exists().where(
            _unfinished.evaluation_run_id == EvaluationRun.id, _unfinished.status.in_(["pending", "running"])
        ),
        exists(select(held_job().c.id)),
    )
    .values(status="completed", completed_at=func.now())
)
_failing = (
    update(EvaluationRun)
    .where(EvaluationRun.id == bindparam("evaluation_id", type_=BigInteger), EvaluationRun.status == "running")
    .values(status="failed", error=bindparam("error", type_=Text), completed_at=func.now())
    .returning(EvaluationRun.id)
    .cte("failing")
)
_FAIL: Final = Query(
    update(EvaluationResult)
    .where(
        EvaluationResult.evaluation_run_id == _failing.c.id,
        EvaluationResult.status.in_(["pending", "running"]),
    )
    .values(status="cancelled")
    .returning(EvaluationResult.run_id),
    UUID,
)
_RUNNING: Final = Query(select(EvaluationRun.id).where(EvaluationRun.status == "running"), int)


async def next_question(pool: asyncpg.Pool) -> Question | None:
    """Returns a question to ask: of the evaluation with the fewest that are being answered."""
    return await _NEXT.fetch_one(pool)


async def asked_questions(pool: asyncpg.Pool) -> list[AskedQuestion]:
    """Returns the questions that are being answered, or whose answers were not measured yet."""
    return await _ASKED.fetch_all(pool)


async def others_wait(pool: asyncpg.Pool) -> bool:
    """Returns whether a run waits for a worker that is of no evaluation."""
    return bool(await _OTHERS_WAIT.fetch_one(pool))


async def calls_of(pool: asyncpg.Pool, session_id: int) -> list[CallOfRun]:
    """Returns the tool calls of all runs of a question's session, in order."""
    return await _CALLS.fetch_all(pool, session_id=session_id)


async def file_names(pool: asyncpg.Pool, document_ids: list[int]) -> dict[int, str]:
    """Returns the file names of documents that a question has found, by id."""
    return {each.id: each.file_name for each in await _FILE_NAMES.fetch_all(pool, ids=document_ids)}


async def count_citations(pool: asyncpg.Pool, message_id: int) -> CountedCitations:
    """Returns how many sentences of an answer cite a source, and how many of these their source supports."""
    (counted,) = await _CITATIONS.fetch_all(pool, message_id=message_id)
    return counted


async def begin(pool: asyncpg.Pool, job: Job, result_id: int, run_id: UUID) -> bool:
    """Stores that a question is answered by a run; returns False if its evaluation has ended or the lease is lost."""
    return await _BEGIN.execute(pool, result_id=result_id, run_id=run_id, **job.fence) == 1


async def end(
    pool: asyncpg.Pool,
    job: Job,
    question: AskedQuestion,
    *,
    error: str | None,
    answer: str,
    score: Score,
    cited: CountedCitations,
    judgement: Judgement,
) -> None:
    """Stores what came of a question; nothing if its evaluation has ended or the lease is lost.

    Args:
        pool: The database.
        job: The job.
        question: The question.
        error: Why its run failed; None if it was answered.
        answer: The answer; empty if it failed.
        score: What was measured by rules.
        cited: Its citations.
        judgement: What the judge thinks of it.
    """
    await _END.execute(
        pool,
        result_id=question.id,
        status="completed" if error is None else "failed",
        error=error,
        answer=answer,
        rank=score.rank,
        document_share=score.document_share,
        passage_share=score.passage_share,
        fact_share=score.fact_share,
        missing=list(score.missing),
        citations=cited.citations,
        supported_citations=cited.supported,
        judge_score=judgement.score,
        judge_reason=judgement.reason,
        judge_prompt_tokens=judgement.prompt_tokens,
        judge_completion_tokens=judgement.completion_tokens,
        judge_cost=judgement.cost,
        tokens=question.tokens,
        cost=question.cost,
        duration_ms=question.duration_ms,
        **job.fence,
    )


async def complete_finished(pool: asyncpg.Pool, job: Job) -> None:
    """Completes the evaluations all of whose questions were asked."""
    await _COMPLETE.execute(pool, **job.fence)


async def fail(connection: Connection, evaluation_id: int, error: str) -> list[UUID]:
    """Fails an evaluation; returns the runs that worked for it, which are to be cancelled."""
    return [run_id for run_id in await _FAIL.fetch_all(connection, evaluation_id=evaluation_id, error=error) if run_id]


async def running_evaluations(connection: Connection) -> list[int]:
    """Returns the evaluations that have not ended."""
    return await _RUNNING.fetch_all(connection)
