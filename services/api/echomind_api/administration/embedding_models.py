"""Models that turn text into vectors, for reading."""

from sqlalchemy import Integer, select, type_coerce
from typing_extensions import override

from echomind_api.rows import missing
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.mappers import embedding_models
from echomind_lib.models.public import (
    EmbeddingModel,
    EmbeddingModelService,
    GetEmbeddingModelRequest,
    ListEmbeddingModelsRequest,
    ListEmbeddingModelsResponse,
)


class EmbeddingModels(EmbeddingModelService):
    """The service `EmbeddingModelService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_embedding_models(
        self, request: ListEmbeddingModelsRequest, call: CallContext
    ) -> ListEmbeddingModelsResponse:
        page = read_page(request.page_size, request.page_token, tuple[int], "embedding_models")
        models = select(rows.EmbeddingModel).where(rows.EmbeddingModel.deleted_date.is_(None))
        query = page.select(models, rows.EmbeddingModel.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        listed = [embedding_models.to_model(row) for row in found]
        return ListEmbeddingModelsResponse(embedding_models=listed, next_page_token=token)

    @override
    async def get_embedding_model(self, request: GetEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        async with self._database.session() as session:
            row = await session.scalar(
                select(rows.EmbeddingModel).where(
                    # Ids in the contract are 32-bit, the column 16-bit.
                    type_coerce(rows.EmbeddingModel.id, Integer) == request.id,
                    rows.EmbeddingModel.deleted_date.is_(None),
                )
            )
        if row is None:
            raise missing("embedding model", request.id)
        return embedding_models.to_model(row)
