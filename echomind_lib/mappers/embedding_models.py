"""Embedding models."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.indexes.states import STANDBY
from echomind_lib.mappers.columns import WithoutKey, pick
from echomind_lib.models.public import EmbeddingModel, EmbeddingModelStatus, EmbeddingProtocol
from echomind_lib.secrets import Secrets

_STATES: Final = {
    None: EmbeddingModelStatus.IDLE,
    "building": EmbeddingModelStatus.BUILDING,
    "standby": EmbeddingModelStatus.STANDBY,
    "dropping": EmbeddingModelStatus.DROPPING,
}


def status_of(row: rows.EmbeddingModel) -> EmbeddingModelStatus:
    """Returns the state of a model's index."""
    return EmbeddingModelStatus.ACTIVE if row.is_active else _STATES[row.index_state]


def to_columns(model: EmbeddingModel, fields: Iterable[str], secrets: Secrets) -> dict[str, Any]:
    """Returns the columns of a model of a server; the key is encrypted, an empty one removes the stored key.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "model_id": model.model_id.strip(),
        "model_name": model.model_name.strip(),
        "protocol": model.protocol.word if model.protocol is not EmbeddingProtocol.UNSPECIFIED else None,
        "endpoint": model.endpoint.strip() or None,
        "api_key": secrets.encrypt(model.api_key) if model.api_key else None,
        "query_prefix": model.query_prefix,
        "passage_prefix": model.passage_prefix,
    }
    return pick(EmbeddingModel, columns, fields)


def to_model(row: rows.EmbeddingModel) -> EmbeddingModel:
    """Returns the embedding model of a row, without its key."""
    return EmbeddingModel.from_row(
        WithoutKey(row),
        has_api_key=row.api_key is not None,
        status=status_of(row),
        status_since=row.state_since,
        standby_until=row.state_since + STANDBY if row.index_state == "standby" and row.state_since else None,
    )
