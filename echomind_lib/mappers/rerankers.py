"""Rerankers."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Reranker, RerankProtocol
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
    return Reranker(
        id=row.id,
        name=row.name,
        protocol=RerankProtocol.from_word(row.protocol),
        model_id=row.model_id,
        endpoint=row.endpoint,
        has_api_key=row.api_key is not None,
        candidates=row.candidates,
        timeout_ms=row.timeout_ms,
        is_active=row.is_active,
        creation_date=row.creation_date,
        last_update=row.last_update,
    )
