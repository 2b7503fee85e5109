"""Models that turn text into vectors. Everyone reads, superadmins manage. One is always active."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.models.embedding_tests import (
    TESTED,
    check_endpoint,
    check_key,
    measure,
    state_error,
    test_stored,
)
from echomind_api.people import with_updaters
from echomind_api.rows import audit, lock_table, missing, reload
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database, connection_of
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.indexes import builds, states
from echomind_lib.indexes.rows import IS_ACTIVE
from echomind_lib.jobs import FILL_INDEXES, INDEX_FACTS
from echomind_lib.jobs import request as request_job
from echomind_lib.learned.facts.changes import note_all
from echomind_lib.mappers import embedding_models
from echomind_lib.messaging import Bus
from echomind_lib.models import public
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval.sparse import ENCODER_ID
from echomind_lib.secrets import Secrets

if TYPE_CHECKING:
    from echomind_lib.embeddings.calibrated import Calibration

_FAILURES = 20
"""Failed documents that a progress names."""


class EmbeddingModels(public.EmbeddingModelService):
    """The service `EmbeddingModelService`."""

    def __init__(self, database: Database, bus: Bus, disk: DiskSpace, secrets: Secrets) -> None:
        self._database = database
        self._bus = bus
        self._disk = disk
        self._secrets = secrets

    @override
    async def list_embedding_models(
        self, request: public.ListEmbeddingModelsRequest, call: CallContext
    ) -> public.ListEmbeddingModelsResponse:
        page = read_page(request.page_size, request.page_token, tuple[int], "embedding_models")
        models = select(rows.EmbeddingModel).where(rows.EmbeddingModel.deleted_date.is_(None))
        query = page.select(models, rows.EmbeddingModel.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            listed = await _shown(session, found, call)
        return public.ListEmbeddingModelsResponse(embedding_models=listed, next_page_token=token)

    @override
    async def get_embedding_model(
        self, request: public.GetEmbeddingModelRequest, call: CallContext
    ) -> public.EmbeddingModel:
        async with self._database.session() as session:
            return (await _shown(session, [await _find(session, request.id)], call))[0]

    @override
    async def create_embedding_model(
        self, request: public.CreateEmbeddingModelRequest, call: CallContext
    ) -> public.EmbeddingModel:
        require_role(call.principal, "superadmin")
        given = request.embedding_model
        if given.protocol is public.EmbeddingProtocol.UNSPECIFIED:
            raise ValidationFailedError.of("protocol", "is missing: say what the server speaks")
        columns = embedding_models.to_columns(given, (*TESTED, "model_name"), self._secrets)
        check_endpoint(columns)
        measured = await measure(columns, self._secrets)
        async with self._database.session() as session:
            made_by = await _made_by(session)
            # Again: the key that encrypted it before it was measured may be retired by now.
            columns |= embedding_models.to_columns(given, {"api_key"}, self._secrets)
            row = rows.EmbeddingModel(
                **columns,
                **made_by,
                model_dimension=measured.dimension,
                languages=list(measured.languages),
                calibration=measured.to_json(),
            )
            session.add(row)
            await session.flush()
            audit(session, call, f"embedding-models/{row.id}", model=row.model_id, name=row.model_name)
            await reload(session, row)
            return (await _shown(session, [row], call))[0]

    @override
    async def update_embedding_model(
        self, request: public.UpdateEmbeddingModelRequest, call: CallContext
    ) -> public.EmbeddingModel:
        require_role(call.principal, "superadmin")
        columns = embedding_models.to_columns(request.embedding_model, request.update_mask, self._secrets)
        async with self._database.session() as session:
            row = await _find(session, request.id)
            before = {name: getattr(row, name) for name in TESTED}
        _check_change(row, before, columns)
        measured: Calibration | None = None
        if before != before | columns and columns.keys() & set(TESTED):
            check_endpoint(before | columns)
            check_key(row, columns)
            dimension = row.model_dimension if _has_index(row) else None
            found = await measure(before | columns, self._secrets, dimension)
            # The vectors of an index were made with what was measured then.
            measured = None if _has_index(row) else found
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)  # so that no index is begun meanwhile
            row = await _find(session, request.id)
            if before != {name: getattr(row, name) for name in TESTED} or (measured is not None and _has_index(row)):
                raise state_error(row, "It was changed meanwhile: try again.")
            # Again: the key that encrypted it before it was measured may be retired by now.
            fields = columns.keys() & {"api_key"}
            columns |= embedding_models.to_columns(request.embedding_model, fields, self._secrets)
            for name, value in columns.items():
                setattr(row, name, value)
            if measured is not None:
                row.model_dimension, row.languages = measured.dimension, list(measured.languages)
                row.calibration = measured.to_json()
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"embedding-models/{row.id}", fields=sorted(columns))
            await session.flush()
            await reload(session, row)
            return (await _shown(session, [row], call))[0]

    @override
    async def delete_embedding_model(self, request: public.DeleteEmbeddingModelRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)
            row = await _find(session, request.id)
            if row.endpoint is None:
                raise state_error(row, "It is built in and cannot be removed.")
            if _has_index(row):
                raise state_error(row, "It has an index: activate another model, or delete its index first.")
            row.deleted_date, row.api_key = datetime.now(UTC), None
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"embedding-models/{row.id}", model=row.model_id, name=row.model_name)
        return Empty()

    @override
    async def test_embedding_model(
        self, request: public.TestEmbeddingModelRequest, call: CallContext
    ) -> public.TestEmbeddingModelResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
        if row.endpoint is None:
            return public.TestEmbeddingModelResponse(
                ok=True, message="The built-in model is always there.", model_dimension=row.model_dimension
            )
        return await test_stored(row, self._secrets)

    @override
    async def activate_embedding_model(
        self, request: public.ActivateEmbeddingModelRequest, call: CallContext
    ) -> public.EmbeddingModel:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)  # one is active, and one is filled at a time
            row = await _find(session, request.id)
            connection = await connection_of(session)
            if row.is_active:
                return (await _shown(session, [row], call))[0]
            if row.index_state == "dropping":
                raise state_error(row, "Its index is being deleted: try again in some minutes.")
            if row.index_state is None:
                await self._begin(session, row)
            elif row.index_state == "building" and not request.without_failed:
                await builds.retry_failures(connection, row.id)
            elif row.index_state == "building" and await builds.missing_documents(connection, row.id, 0, 1):
                raise state_error(row, "Its index is not filled yet: documents are left that were not tried.")
            else:
                if not await states.switch(connection, row.id, row.index_state):
                    raise state_error(row, "Its index was changed meanwhile: look again.")
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
            raise state_error(row, f"The index of {other} is being filled: wait for it, or delete it.")
        if row.endpoint is not None:
            # Without an index yet, it gets one with what this version makes.
            for name, value in (await _made_by(session)).items():
                setattr(row, name, value)
            await session.flush()
        await states.begin(await connection_of(session), row.id)

    @override
    async def drop_embedding_index(
        self, request: public.DropEmbeddingIndexRequest, call: CallContext
    ) -> public.EmbeddingModel:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.EmbeddingModel)
            row = await _find(session, request.id)
            if row.is_active:
                raise state_error(row, "Its index answers questions: activate another model first.")
            connection = await connection_of(session)
            if not await states.drop(connection, row.id):
                raise state_error(row, "It has no index that could be deleted.")
            audit(session, call, f"embedding-models/{row.id}", model=row.model_id)
            row.user_id_last_update = call.principal.user_id
            await reload(session, row)
            (model,) = await _shown(session, [row], call)
        await request_job(self._database.pool, self._bus, FILL_INDEXES)
        return model

    @override
    async def get_embedding_index_progress(
        self, request: public.GetEmbeddingIndexProgressRequest, call: CallContext
    ) -> public.EmbeddingIndexProgress:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
        progress = await builds.build_progress(self._database.pool, row.id)
        failures = await builds.build_failures(self._database.pool, row.id, _FAILURES)
        return public.EmbeddingIndexProgress(
            documents=progress.documents,
            done=progress.done,
            failed=progress.failed,
            failures=[
                public.EmbeddingIndexFailure(document_id=each.document_id, message=each.error) for each in failures
            ],
            seconds_left=progress.seconds_left if row.index_state == "building" else None,
            message=row.state_message or "",
        )


async def _shown(
    session: AsyncSession, found: Sequence[rows.EmbeddingModel], call: CallContext
) -> list[public.EmbeddingModel]:
    shown = [embedding_models.to_model(row) for row in found]
    if not call.principal.has_role("superadmin"):
        return [model.model_copy(update={"endpoint": ""}) for model in shown]
    return await with_updaters(session, zip(found, shown, strict=True))


async def _find(session: AsyncSession, model_id: int) -> rows.EmbeddingModel:
    # Ids in the contract are 32-bit, the column 16-bit.
    found = type_coerce(rows.EmbeddingModel.id, Integer) == model_id
    row = await session.scalar(select(rows.EmbeddingModel).where(found, rows.EmbeddingModel.deleted_date.is_(None)))
    if row is None:
        raise missing("embedding model", model_id)
    return row


async def _made_by(session: AsyncSession) -> dict[str, str]:
    """Returns with what a new index is made: the encoder of this version, and the passages of the active index."""
    chunker = (await session.scalars(select(rows.EmbeddingModel.chunker).where(IS_ACTIVE))).one()
    return {"sparse_encoder": ENCODER_ID, "chunker": chunker}


def _has_index(row: rows.EmbeddingModel) -> bool:
    return row.is_active or row.index_state is not None


def _check_change(row: rows.EmbeddingModel, before: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Raises an error for fields that cannot be changed, or not now."""
    changed = {name for name, value in columns.items() if name in before and value != before[name]}
    if row.endpoint is None and changed:
        raise ValidationFailedError.of(min(changed), "cannot be changed: this model is built in")
    if fixed := sorted(changed & {"model_id", "protocol"}):
        raise ValidationFailedError.of(fixed[0], "cannot be changed: add another model instead")
    if "endpoint" in changed and columns["endpoint"] is None:
        raise ValidationFailedError.of("endpoint", "is missing: give the URL of the server")
    if changed & {"query_prefix", "passage_prefix"} and _has_index(row):
        raise state_error(row, "Its index was made with its prefixes: delete the index first, or add another model.")
