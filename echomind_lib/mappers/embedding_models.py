"""Embedding models."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.indexes.builds import STANDBY
from echomind_lib.mappers.columns import SOFT_DELETE, UPDATED_BY, UPDATED_BY_COLUMN
from echomind_lib.models.public import EmbeddingModel, EmbeddingModelStatus

ROW: Final = rows.EmbeddingModel
MODEL: Final = EmbeddingModel
INTERNAL: Final = {
    "collection": "where the index is kept",
    "index_state": "part of `status`",
    "state_since": "`status_since`",
    "state_message": "part of the index's progress",
    **UPDATED_BY_COLUMN,
    **SOFT_DELETE,
}
DERIVED: Final[dict[str, str]] = {
    "status": "`is_active` and `index_state`",
    "status_since": "`state_since`",
    "standby_until": "a day after `state_since`",
    **UPDATED_BY,
}
_STATES: Final = {
    None: EmbeddingModelStatus.IDLE,
    "building": EmbeddingModelStatus.BUILDING,
    "standby": EmbeddingModelStatus.STANDBY,
    "dropping": EmbeddingModelStatus.DROPPING,
}


def status_of(row: rows.EmbeddingModel) -> EmbeddingModelStatus:
    """Returns the state of a model's index."""
    return EmbeddingModelStatus.ACTIVE if row.is_active else _STATES[row.index_state]


def to_model(row: rows.EmbeddingModel) -> EmbeddingModel:
    """Returns the embedding model of a row."""
    return EmbeddingModel(
        id=row.id,
        model_id=row.model_id,
        model_name=row.model_name,
        model_dimension=row.model_dimension,
        endpoint=row.endpoint or "",
        is_active=row.is_active,
        creation_date=row.creation_date,
        last_update=row.last_update,
        sparse_encoder=row.sparse_encoder,
        chunker=row.chunker,
        status=status_of(row),
        status_since=row.state_since,
        standby_until=row.state_since + STANDBY if row.index_state == "standby" and row.state_since else None,
    )
