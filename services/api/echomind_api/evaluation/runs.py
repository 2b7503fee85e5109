"""The service of evaluations."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Float, Integer, Select, cast, delete, func, insert, literal, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.assistants.versions import find_version
from echomind_api.conversations.controls import Controls
from echomind_api.evaluation.dataset_rows import find_dataset
from echomind_api.rows import missing
from echomind_lib.access import Principal, evaluation_runs, require_role
from echomind_lib.access.assistant_choice import choose_assistant, require_usable_llm
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import RUN_EVALUATIONS, enqueue_in, wake
from echomind_lib.mappers import evaluation_runs as mapper
from echomind_lib.mappers.evaluation_cases import EXPECTED
from echomind_lib.models import public

_Row = rows.EvaluationRun
_Result = rows.EvaluationResult
_Case = rows.EvaluationCase
_FIGURES: Final = {
    "documents": func.avg(_Result.document_share),
    "reciprocal_rank": func.avg(func.coalesce(cast(1.0, Float) / _Result.rank, 0.0)).filter(
        _Result.document_share.is_not(None)
    ),
    "passages": func.avg(_Result.passage_share),
    "facts": func.avg(_Result.fact_share),
    "citations": cast(func.sum(_Result.supported_citations), Float) / func.nullif(func.sum(_Result.citations), 0),
    "judge": func.avg(_Result.judge_score),
    "cost": cast(func.coalesce(func.sum(_Result.cost), 0), Float),
    "judge_cost": cast(func.coalesce(func.sum(_Result.judge_cost), 0), Float),
    "tokens": func.coalesce(func.sum(_Result.tokens), 0),
    "judge_tokens": func.coalesce(func.sum(_Result.judge_prompt_tokens + _Result.judge_completion_tokens), 0),
    "duration_ms": cast(func.avg(_Result.duration_ms), Float),
}
_COUNTS: Final = {
    "questions": func.count(),
    "answered": func.count().filter(_Result.status == "completed"),
    "failed": func.count().filter(_Result.status == "failed"),
}


class EvaluationRuns(public.EvaluationRunService):
    """The service `EvaluationRunService`."""

    def __init__(self, database: Database, log: EventLog, controls: Controls) -> None:
        self._database, self._log, self._controls = database, log, controls

    @override
    async def start_evaluation_run(
        self, request: public.StartEvaluationRunRequest, call: CallContext
    ) -> public.EvaluationRun:
        user_id = call.principal.user_id
        async with self._database.session() as session:
            dataset = (await find_dataset(session, call.principal, request.dataset_id))[0]
        assistant_id = await choose_assistant(self._database.pool, user_id, request.assistant_id)
        if assistant_id is None:
            raise missing("assistant", request.assistant_id or "by default", "use it")
        await self._check_judge(request.judge_llm_id)
        async with self._database.session() as session:
            version = await _version(session, call.principal, assistant_id, request.assistant_version)
            row = _Row(
                dataset_id=dataset.id,
                user_id=user_id,
                assistant_id=assistant_id,
                assistant_version=version,
                judge_llm_id=request.judge_llm_id or None,
                api_key_id=call.principal.api_key_id,
            )
            session.add(row)
            await session.flush()
            await _store_questions(session, row)
            await enqueue_in(session, RUN_EVALUATIONS)
            started = await _find(session, call.principal, row.id)
        await wake(self._log.bus, RUN_EVALUATIONS)
        return started

    @override
    async def list_evaluation_runs(
        self, request: public.ListEvaluationRunsRequest, call: CallContext
    ) -> public.ListEvaluationRunsResponse:
        key = ("evaluation_runs", request.dataset_id, call.principal.user_id)
        page = read_page(request.page_size, request.page_token, tuple[int], *key)
        query = _readable(call.principal)
        async with self._database.session() as session:
            if request.dataset_id:
                await find_dataset(session, call.principal, request.dataset_id)
                query = query.where(_Row.dataset_id == request.dataset_id)
            listed = await session.execute(page.select(query, _Row.id, descending=True))
            found, token = page.cut(listed.all(), lambda each: (each[0].id,))
            return public.ListEvaluationRunsResponse(runs=await _shown(session, found), next_page_token=token)

    @override
    async def get_evaluation_run(
        self, request: public.GetEvaluationRunRequest, call: CallContext
    ) -> public.EvaluationRun:
        async with self._database.session() as session:
            return await _find(session, call.principal, request.id)

    @override
    async def list_evaluation_results(
        self, request: public.ListEvaluationResultsRequest, call: CallContext
    ) -> public.ListEvaluationResultsResponse:
        key = ("evaluation_results", request.evaluation_run_id, call.principal.user_id)
        page = read_page(request.page_size, request.page_token, tuple[int], *key)
        async with self._database.session() as session:
            await _find(session, call.principal, request.evaluation_run_id)
            query = select(_Result).where(_Result.evaluation_run_id == request.evaluation_run_id)
            listed = await session.scalars(page.select(query, _Result.id))
            found, token = page.cut(listed.all(), lambda row: (row.id,))
        results = [public.EvaluationResult.from_row(row, status_message=row.error or "") for row in found]
        return public.ListEvaluationResultsResponse(results=results, next_page_token=token)

    @override
    async def cancel_evaluation_run(
        self, request: public.CancelEvaluationRunRequest, call: CallContext
    ) -> public.EvaluationRun:
        async with self._database.session() as session:
            found = await _find(session, call.principal, request.id)
            # The row is locked first, as by the job: neither stores a result of an evaluation that has ended.
            ended = await session.scalar(
                update(_Row)
                .where(_Row.id == found.id, _Row.status == "running")
                .values(status="cancelled", completed_at=func.now())
                .returning(_Row.id)
            )
            cancelled: Sequence[Any] = ()
            if ended is not None:
                unfinished = _Result.status.in_(["pending", "running"])
                cancelled = (
                    await session.scalars(
                        update(_Result)
                        .where(_Result.evaluation_run_id == found.id, unfinished)
                        .values(status="cancelled")
                        .returning(_Result.run_id)
                    )
                ).all()
            shown = await _find(session, call.principal, found.id)
        for run_id in filter(None, cancelled):
            await self._controls.move(run_id, "cancelled")
        return shown

    @override
    async def delete_evaluation_run(self, request: public.DeleteEvaluationRunRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            found = await _find(session, call.principal, request.id)
            ended = delete(_Row).where(_Row.id == found.id, _Row.status != "running").returning(_Row.id)
            if await session.scalar(ended) is None:
                raise ValidationFailedError(
                    "The evaluation is running: cancel it first.", id="must be an evaluation that has ended"
                )
        return Empty()

    async def _check_judge(self, llm_id: int) -> None:
        """Raises unless a chat model can judge; 0 is none."""
        if not llm_id:
            return
        await require_usable_llm(self._database.pool, llm_id)
        provider = select(rows.Llm.provider).where(type_coerce(rows.Llm.id, Integer) == llm_id)
        async with self._database.session() as session:
            if await session.scalar(provider) == "extractive":
                rule = "must be a model that writes: the built-in one only quotes"
                raise ValidationFailedError(f"judge_llm_id: {rule}.", judgeLlmId=rule)


async def _version(session: AsyncSession, principal: Principal, assistant_id: int, requested: int) -> int:
    """Returns the version of an assistant to evaluate; 0 requests the newest one.

    Raises:
        PermissionDeniedError: It is an older one, whose instructions superadmins alone may use.
        NotFoundError: There is no such version.
        ValidationFailedError: It or the assistant leads a team, whose members have versions of their own.
    """
    newest = (await session.scalars(select(rows.Assistant.version).where(rows.Assistant.id == assistant_id))).one()
    if requested in (0, newest):
        return newest
    require_role(principal, "superadmin")
    found, _ = await find_version(session, assistant_id, requested)
    members = select(func.count()).where(rows.AssistantMember.assistant_id == assistant_id)
    if found.config.get("members") or await session.scalar(members):
        rule = "must be the newest one of an assistant that leads a team, or led one"
        raise ValidationFailedError(
            f"assistant_version: {rule}. Restore version {requested} to evaluate it.", assistantVersion=rule
        )
    return requested


async def _store_questions(session: AsyncSession, row: rows.EvaluationRun) -> None:
    """Stores the questions of an evaluation as they are now.

    Raises:
        ValidationFailedError: Its dataset has none.
    """
    given: list[Any] = []
    for name in EXPECTED:
        given += [name, getattr(_Case, name)]
    expected = func.jsonb_build_object(*given)
    questions = select(literal(row.id), _Case.id, expected).where(_Case.dataset_id == row.dataset_id).order_by(_Case.id)
    stored = await session.execute(
        insert(_Result).from_select(["evaluation_run_id", "case_id", "expected"], questions).returning(_Result.id)
    )
    if not stored.all():
        rule = "has no question"
        raise ValidationFailedError(f"dataset_id: {rule}. Add questions to the dataset first.", datasetId=rule)


def _readable(principal: Principal) -> Select[rows.EvaluationRun, str, str, str]:
    rule = evaluation_runs()
    return (
        select(
            _Row,
            rows.EvaluationDataset.name.label("dataset_name"),
            rows.Assistant.name.label("assistant_name"),
            rows.Llm.name.label("judge_llm_name"),
        )
        .join(rows.EvaluationDataset, rows.EvaluationDataset.id == _Row.dataset_id)
        .join(rows.Assistant, rows.Assistant.id == _Row.assistant_id)
        .outerjoin(rows.Llm, rows.Llm.id == _Row.judge_llm_id)
        .where(rule.where(_Row))
        .params(rule.values(principal))
    )


async def _find(session: AsyncSession, principal: Principal, run_id: int) -> public.EvaluationRun:
    query = _readable(principal).where(_Row.id == run_id)
    found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
    if found is None:
        raise missing("evaluation", run_id)
    return (await _shown(session, [found]))[0]


async def _shown(session: AsyncSession, found: Sequence[Any]) -> list[public.EvaluationRun]:
    columns = [column.label(name) for name, column in (_FIGURES | _COUNTS).items()]
    ids = [each[0].id for each in found]
    query = select(_Result.evaluation_run_id, *columns).where(_Result.evaluation_run_id.in_(ids))
    measured = {each[0]: each for each in await session.execute(query.group_by(_Result.evaluation_run_id))}
    return [
        mapper.to_model(
            each[0],
            each,
            measured[each[0].id],
            public.EvaluationFigures(**{name: getattr(measured[each[0].id], name) for name in _FIGURES}),
        )
        for each in found
    ]
