"""Models that turn text into vectors. Everyone reads, superadmins manage. One is always active."""

from collections.abc import Sequence

from sqlalchemy import Integer, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.people import with_updaters
from echomind_api.rows import audit, lock_table, missing, reload
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database, connection_of
from echomind_lib.db.paging import read_page
from echomind_lib.errors import EmbeddingModelStateError
from echomind_lib.facts.changes import note_all
from echomind_lib.indexes import builds
from echomind_lib.jobs import FILL_INDEXES, INDEX_FACTS
from echomind_lib.jobs import request as request_job
from echomind_lib.mappers import embedding_models
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    ActivateEmbeddingModelRequest,
    DropEmbeddingIndexRequest,
    EmbeddingIndexFailure,
    EmbeddingIndexProgress,
    EmbeddingModel,
    EmbeddingModelService,
    GetEmbeddingIndexProgressRequest,
    GetEmbeddingModelRequest,
    ListEmbeddingModelsRequest,
    ListEmbeddingModelsResponse,
)
from echomind_lib.process.disk import DiskSpace

_FAILURES = 20
"""Failed documents that a progress names."""


class EmbeddingModels(EmbeddingModelService):
    """The service `EmbeddingModelService`."""

    def __init__(self, database: Database, bus: Bus, disk: DiskSpace) -> None:
        self._database = database
        self._bus = bus
        self._disk = disk

    @override
    async def list_embedding_models(
        self, request: ListEmbeddingModelsRequest, call: CallContext
    ) -> ListEmbeddingModelsResponse:
        page = read_page(request.page_size, request.page_token, tuple[int], "embedding_models")
        models = select(rows.EmbeddingModel).where(rows.EmbeddingModel.deleted_date.is_(None))
        query = page.select(models, rows.EmbeddingModel.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            listed = await _shown(session, found, call)
        return ListEmbeddingModelsResponse(embedding_models=listed, next_page_token=token)

    @override
    async def get_embedding_model(self, request: GetEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        async with self._database.session() as session:
            return (await _shown(session, [await _find(session, request.id)], call))[0]

    @override
    async def activate_embedding_model(
        self, request: ActivateEmbeddingModelRequest, call: CallContext
    ) -> EmbeddingModel:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)  # one is active, and one is filled at a time
            row = await _find(session, request.id)
            connection = await connection_of(session)
            if row.is_active:
                return (await _shown(session, [row], call))[0]
            if row.index_state == "dropping":
                raise _state_error(row, "Its index is being deleted: try again in some minutes.")
            if row.index_state is None:
                await self._begin(session, row)
            elif row.index_state == "building" and not request.without_failed:
                await builds.retry_failures(connection, row.id)
            elif row.index_state == "building" and await builds.missing_documents(connection, row.id, 0, 1):
                raise _state_error(row, "Its index is not filled yet: documents are left that were not tried.")
            elif await builds.switch(connection, row.id, row.index_state):
                # Facts that changed while it was not active get their vectors again.
                await note_all(connection)
            audit(session, call, f"embedding-models/{row.id}", model=row.model_id)
            row.user_id_last_update = call.principal.user_id
            await reload(session, row)
            (model,) = await _shown(session, [row], call)
        # Both recur, so that a request that is lost here delays them only.
        await request_job(self._database.pool, self._bus, FILL_INDEXES)
        await request_job(self._database.pool, self._bus, INDEX_FACTS)
        return model

    async def _begin(self, session: AsyncSession, row: rows.EmbeddingModel) -> None:
        self._disk.require()
        other = await session.scalar(
            select(rows.EmbeddingModel.model_name).where(rows.EmbeddingModel.index_state == "building")
        )
        if other is not None:
            raise _state_error(row, f"The index of {other} is being filled: wait for it, or delete it.")
        await builds.begin(await connection_of(session), row.id)

    @override
    async def drop_embedding_index(self, request: DropEmbeddingIndexRequest, call: CallContext) -> EmbeddingModel:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)
            row = await _find(session, request.id)
            if row.is_active:
                raise _state_error(row, "Its index answers questions: activate another model first.")
            connection = await connection_of(session)
            if not await builds.drop(connection, row.id):
                raise _state_error(row, "It has no index that could be deleted.")
            audit(session, call, f"embedding-models/{row.id}", model=row.model_id)
            row.user_id_last_update = call.principal.user_id
            await reload(session, row)
            (model,) = await _shown(session, [row], call)
        await request_job(self._database.pool, self._bus, FILL_INDEXES)
        return model

    @override
    async def get_embedding_index_progress(
        self, request: GetEmbeddingIndexProgressRequest, call: CallContext
    ) -> EmbeddingIndexProgress:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
        progress = await builds.build_progress(self._database.pool, row.id)
        failures = await builds.build_failures(self._database.pool, row.id, _FAILURES)
        return EmbeddingIndexProgress(
            documents=progress.documents,
            done=progress.done,
            failed=progress.failed,
            failures=[EmbeddingIndexFailure(document_id=each.document_id, message=each.error) for each in failures],
            seconds_left=progress.seconds_left if row.index_state == "building" else None,
            message=row.state_message or "",
        )


async def _shown(
    session: AsyncSession, found: Sequence[rows.EmbeddingModel], call: CallContext
) -> list[EmbeddingModel]:
    shown = [embedding_models.to_model(row) for row in found]
    if not call.principal.has_role("superadmin"):
        return shown
    return await with_updaters(session, zip(found, shown, strict=True))


async def _find(session: AsyncSession, model_id: int) -> rows.EmbeddingModel:
    # Ids in the contract are 32-bit, the column 16-bit.
    found = type_coerce(rows.EmbeddingModel.id, Integer) == model_id
    row = await session.scalar(select(rows.EmbeddingModel).where(found, rows.EmbeddingModel.deleted_date.is_(None)))
    if row is None:
        raise missing("embedding model", model_id)
    return row


def _state_error(row: rows.EmbeddingModel, message: str) -> EmbeddingModelStateError:
    status = embedding_models.status_of(row).word
    return EmbeddingModelStateError(message, embedding_model_id=row.id, status=status)
