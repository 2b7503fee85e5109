"""The service of datasets to evaluate assistants with."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.evaluation import dataset_rows
from echomind_api.evaluation.rated_answers import has_content_of_sources, rated_cases
from echomind_api.evaluation.sharing import check_sharing, shared_sessions
from echomind_api.rows import audit, reload, unique
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.messages import read_branch
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import evaluation_cases, evaluation_datasets
from echomind_lib.models import public

_Row = rows.EvaluationDataset
_Case = rows.EvaluationCase
_UNIQUE = {"evaluation_datasets_user_id_name_key": "name"}
_SHARING = {"is_shared", "groups"}


class EvaluationDatasets(public.EvaluationDatasetService):
    """The service `EvaluationDatasetService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_evaluation_datasets(
        self, request: public.ListEvaluationDatasetsRequest, call: CallContext
    ) -> public.ListEvaluationDatasetsResponse:
        principal = call.principal
        reader = (principal.user_id, sorted(principal.groups))
        page = read_page(request.page_size, request.page_token, tuple[int], "evaluation_datasets", *reader)
        async with self._database.session() as session:
            listed = await session.execute(page.select(dataset_rows.readable(principal), _Row.id, descending=True))
            found, token = page.cut(listed.all(), lambda each: (each[0].id,))
        datasets = [dataset_rows.shown(each, principal) for each in found]
        return public.ListEvaluationDatasetsResponse(datasets=datasets, next_page_token=token)

    @override
    async def get_evaluation_dataset(
        self, request: public.GetEvaluationDatasetRequest, call: CallContext
    ) -> public.EvaluationDataset:
        async with self._database.session() as session:
            return await _shown(session, call, request.id)

    @override
    async def create_evaluation_dataset(
        self, request: public.CreateEvaluationDatasetRequest, call: CallContext
    ) -> public.EvaluationDataset:
        columns = evaluation_datasets.to_columns(request.dataset, request.dataset.model_fields_set)
        async with self._database.session() as session:
            await dataset_rows.check_groups(session, call.principal, columns.get("groups", ()))
            row = _Row(user_id=call.principal.user_id, **columns)
            session.add(row)
            with unique("dataset", _UNIQUE):
                await session.flush()
            _audit_sharing(session, call, row, columns)
            return await _shown(session, call, row.id)

    @override
    async def update_evaluation_dataset(
        self, request: public.UpdateEvaluationDatasetRequest, call: CallContext
    ) -> public.EvaluationDataset:
        columns = evaluation_datasets.to_columns(request.dataset, request.update_mask or [])
        async with self._database.session() as session:
            row = await dataset_rows.find_to_change(session, call.principal, request.id)
            await dataset_rows.check_groups(session, call.principal, columns.get("groups", ()))
            _write(row, columns, call)
            with unique("dataset", _UNIQUE):
                await reload(session, row)
            if columns.keys() & _SHARING:
                await check_sharing(session, call.principal, row, await shared_sessions(session, row.id))
            _audit_sharing(session, call, row, columns)
            return await _shown(session, call, row.id)

    @override
    async def delete_evaluation_dataset(
        self, request: public.DeleteEvaluationDatasetRequest, call: CallContext
    ) -> Empty:
        async with self._database.session() as session:
            row = await dataset_rows.find_to_change(session, call.principal, request.id)
            await session.execute(delete(_Row).where(_Row.id == row.id))
        return Empty()

    @override
    async def list_evaluation_cases(
        self, request: public.ListEvaluationCasesRequest, call: CallContext
    ) -> public.ListEvaluationCasesResponse:
        key = ("evaluation_cases", request.dataset_id, call.principal.user_id)
        page = read_page(request.page_size, request.page_token, tuple[int], *key)
        async with self._database.session() as session:
            await dataset_rows.find_dataset(session, call.principal, request.dataset_id)
            query = select(_Case).where(_Case.dataset_id == request.dataset_id)
            found, token = page.cut((await session.scalars(page.select(query, _Case.id))).all(), lambda row: (row.id,))
        cases = [public.EvaluationCase.from_row(row) for row in found]
        return public.ListEvaluationCasesResponse(cases=cases, next_page_token=token)

    @override
    async def add_evaluation_cases(
        self, request: public.AddEvaluationCasesRequest, call: CallContext
    ) -> public.AddEvaluationCasesResponse:
        columns = [evaluation_cases.to_columns(case, case.model_fields_set) for case in request.cases]
        async with self._database.session() as session:
            row = await dataset_rows.find_to_change(session, call.principal, request.dataset_id)
            await dataset_rows.check_room(session, row.id, len(columns))
            made = [_Case(dataset_id=row.id, **each) for each in columns]
            session.add_all(made)
            await session.flush()
            return await _added(session, [case.id for case in made])

    @override
    async def add_rated_answers(
        self, request: public.AddRatedAnswersRequest, call: CallContext
    ) -> public.AddEvaluationCasesResponse:
        async with self._database.session() as session:
            await dataset_rows.find_to_change(session, call.principal, request.dataset_id)
        await require_session(self._database, call, request.chat_session_id, "read")
        messages = await read_branch(self._database.pool, call.principal, request.chat_session_id)
        cases = rated_cases(messages)
        if not cases:
            rule = "has no answer that you have rated"
            raise ValidationFailedError(
                f"chat_session_id: {rule}. Rate an answer as helpful or unhelpful first.", chatSessionId=rule
            )
        async with self._database.session() as session:
            row = await dataset_rows.find_to_change(session, call.principal, request.dataset_id)
            await dataset_rows.check_room(session, row.id, len(cases))
            if any(has_content_of_sources(case) for case in cases):
                await check_sharing(session, call.principal, row, [request.chat_session_id])
            values = [
                {
                    "dataset_id": row.id,
                    "question": case.question,
                    "documents": case.documents,
                    "answer": case.answer,
                    "message_id": case.message_id,
                }
                for case in cases
            ]
            added = await session.scalars(
                insert(_Case)
                .values(values)
                .on_conflict_do_nothing(
                    index_elements=[_Case.message_id, _Case.dataset_id], index_where=_Case.message_id.is_not(None)
                )
                .returning(_Case.id)
            )
            return await _added(session, added.all())

    @override
    async def update_evaluation_case(
        self, request: public.UpdateEvaluationCaseRequest, call: CallContext
    ) -> public.EvaluationCase:
        columns = evaluation_cases.to_columns(request.case, request.update_mask or [])
        async with self._database.session() as session:
            row = await dataset_rows.find_case_to_change(session, call.principal, request.id)
            _write(row, columns, call)
            await reload(session, row)
            return public.EvaluationCase.from_row(row)

    @override
    async def delete_evaluation_case(self, request: public.DeleteEvaluationCaseRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            row = await dataset_rows.find_case_to_change(session, call.principal, request.id)
            await session.execute(delete(_Case).where(_Case.id == row.id))
        return Empty()


def _write(row: Any, columns: dict[str, Any], call: CallContext) -> None:
    for name, value in columns.items():
        setattr(row, name, value)
    row.user_id_last_update = call.principal.user_id


def _audit_sharing(
    session: AsyncSession, call: CallContext, row: rows.EvaluationDataset, columns: dict[str, Any]
) -> None:
    """Records with whom a dataset is shared, if that was given."""
    if columns.keys() & _SHARING:
        audit(session, call, f"evaluation-datasets/{row.id}", shared=row.is_shared, groups=row.groups)


async def _shown(session: AsyncSession, call: CallContext, dataset_id: int) -> public.EvaluationDataset:
    return dataset_rows.shown(await dataset_rows.find_dataset(session, call.principal, dataset_id), call.principal)


async def _added(session: AsyncSession, ids: Iterable[int]) -> public.AddEvaluationCasesResponse:
    found = await session.scalars(select(_Case).where(_Case.id.in_(list(ids))).order_by(_Case.id))
    return public.AddEvaluationCasesResponse(cases=[public.EvaluationCase.from_row(row) for row in found])
