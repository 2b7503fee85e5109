"""Embedding models."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT, SOFT_DELETE
from echomind_lib.models.public import EmbeddingModel

ROW: Final = rows.EmbeddingModel
MODEL: Final = EmbeddingModel
INTERNAL: Final = {
    "collection": "where the index is kept",
    **AUDIT,
    **SOFT_DELETE,
}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> EmbeddingModel:
    """Returns the embedding model of a row."""
    return EmbeddingModel.from_row(row)
