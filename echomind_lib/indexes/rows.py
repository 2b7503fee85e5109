"""The rows of `embedding_models`: which index is active is said there and nowhere else."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import String, bindparam, exists, insert, literal, select

from echomind_lib.db.models import EmbeddingModel
from echomind_lib.db.statements import Command, Connection, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index."""

    collection: str
    """The collection in the vector index, named after the row's id."""
    model_id: str
    """The embedder that makes its dense vectors."""
    dimension: int
    """How many numbers each of them has."""


INDEX_COLUMNS: Final = (
    EmbeddingModel.collection,
    EmbeddingModel.model_id,
    EmbeddingModel.model_dimension.label("dimension"),
)
IS_LIVE: Final = EmbeddingModel.deleted_date.is_(None)
IS_ACTIVE: Final = EmbeddingModel.is_active & IS_LIVE

_ACTIVE: Final = Query(select(*INDEX_COLUMNS).where(IS_ACTIVE), Index)
_LIVE: Final = Query(select(*INDEX_COLUMNS).where(IS_LIVE).order_by(EmbeddingModel.id), Index)
_COLLECTIONS: Final = Query(select(EmbeddingModel.collection), str)
_first = {
    "model_id": bindparam("model_id", type_=String),
    "model_name": bindparam("model_name", type_=String),
    "model_dimension": bindparam("dimension", type_=EmbeddingModel.model_dimension.type),
    "sparse_encoder": bindparam("sparse_encoder", type_=String),
    "chunker": bindparam("chunker", type_=String),
    "is_active": literal(True),
}
_ADD_FIRST: Final = Command(
    insert(EmbeddingModel).from_select(list(_first), select(*_first.values()).where(~exists(select(EmbeddingModel.id))))
)


async def active_index(connection: Connection) -> Index | None:
    """Returns the index that is searched and written; None when there is none."""
    return await _ACTIVE.fetch_one(connection)


async def live_indexes(connection: Connection) -> list[Index]:
    """Returns all indexes that are not deleted."""
    return await _LIVE.fetch_all(connection)


async def known_collections(connection: Connection) -> set[str]:
    """Returns the collections of all indexes, deleted ones included: what else the engine has is not ours."""
    return set(await _COLLECTIONS.fetch_all(connection))


async def add_first_index(
    connection: Connection, *, model_id: str, model_name: str, dimension: int, sparse_encoder: str, chunker: str
) -> None:
    """Adds the active index of a new installation; nothing happens when there has ever been one."""
    await _ADD_FIRST.execute(
        connection,
        model_id=model_id,
        model_name=model_name,
        dimension=dimension,
        sparse_encoder=sparse_encoder,
        chunker=chunker,
    )
