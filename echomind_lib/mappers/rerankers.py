"""Rerankers."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import WithoutKey, pick
from echomind_lib.models.public import Reranker
from echomind_lib.secrets import Secrets

_CANDIDATES: Final = 30
_TIMEOUT_MS: Final = 1500


def to_columns(reranker: Reranker, fields: Iterable[str], secrets: Secrets) -> dict[str, Any]:
    """Returns the columns of a reranker; the key is encrypted, an empty one removes the stored key.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "name": reranker.name.strip(),
        "protocol": reranker.protocol.word,
        "model_id": reranker.model_id.strip(),
        "endpoint": reranker.endpoint.strip(),
        "api_key": secrets.encrypt(reranker.api_key) if reranker.api_key else None,
        "candidates": reranker.candidates or _CANDIDATES,
        "timeout_ms": reranker.timeout_ms or _TIMEOUT_MS,
        "is_active": reranker.is_active,
    }
    return pick(Reranker, columns, fields)


def to_model(row: rows.Reranker) -> Reranker:
    """Returns the reranker of a row, without its key."""
    return Reranker.from_row(WithoutKey(row), has_api_key=row.api_key is not None)
