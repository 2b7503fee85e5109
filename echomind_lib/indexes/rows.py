"""The rows of `embedding_models`, which alone define the active index."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Text, case, cast, literal, select

from echomind_lib.db.models import EmbeddingModel
from echomind_lib.db.statements import Connection, Query
from echomind_lib.embeddings.model_ids import ENDPOINT


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index."""

    collection: str
    """The collection in the vector index, named after the row's id."""
    model_id: str
    """The embedder of its dense vectors: a built-in one, or a row of this table; see `embeddings.model_ids`."""
    dimension: int
    """Dimension of each vector."""
    sparse_encoder: str
    """The encoder of its terms."""


EMBEDDER: Final = case(
    (EmbeddingModel.endpoint.is_(None), EmbeddingModel.model_id),
    else_=literal(ENDPOINT, Text) + cast(EmbeddingModel.id, Text),
).label("model_id")
"""The id of the embedder of an index; two servers may have models of one name."""
INDEX_COLUMNS: Final = (
    EmbeddingModel.collection,
    EMBEDDER,
    EmbeddingModel.model_dimension.label("dimension"),
    EmbeddingModel.sparse_encoder,
)
IS_LIVE: Final = EmbeddingModel.deleted_date.is_(None)
IS_ACTIVE: Final = EmbeddingModel.is_active & IS_LIVE
IS_FILLED: Final = IS_LIVE & (EmbeddingModel.is_active | EmbeddingModel.index_state.in_(["building", "standby"]))
"""The condition that an index has a collection, which changes of documents concern."""

_ACTIVE: Final = Query(select(*INDEX_COLUMNS).where(IS_ACTIVE), Index)
_FILLED: Final = Query(select(*INDEX_COLUMNS).where(IS_FILLED).order_by(EmbeddingModel.id), Index)
_COLLECTIONS: Final = Query(select(EmbeddingModel.collection), str)


async def active_index(connection: Connection) -> Index | None:
    """Returns the index that is searched and written; None if there is none."""
    return await _ACTIVE.fetch_one(connection)


async def filled_indexes(connection: Connection) -> list[Index]:
    """Returns the active index, and those that are filled beside it."""
    return await _FILLED.fetch_all(connection)


async def known_collections(connection: Connection) -> set[str]:
    """Returns the collections of all indexes, including deleted ones; other collections in the engine are not ours."""
    return set(await _COLLECTIONS.fetch_all(connection))
