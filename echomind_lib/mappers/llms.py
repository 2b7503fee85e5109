"""Chat models."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import WithoutKey, pick
from echomind_lib.models.public import Llm
from echomind_lib.secrets import Secrets


def to_model(row: rows.Llm) -> Llm:
    """Returns the model of a row of the ORM, without its key."""
    return Llm.from_row(WithoutKey(row), has_api_key=row.api_key is not None)


def to_columns(llm: Llm, fields: Iterable[str], secrets: Secrets) -> dict[str, Any]:
    """Returns the columns of the chat model; the key is encrypted, an empty one removes the stored key.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "name": llm.name,
        "provider": llm.provider.word,
        "model_id": llm.model_id,
        "endpoint": llm.endpoint.strip() or None,
        "api_key": secrets.encrypt(llm.api_key) if llm.api_key else None,
        "max_tokens": llm.max_tokens or None,
        "temperature": llm.temperature,
        "context_tokens": llm.context_tokens or None,
        "input_price": llm.input_price,
        "output_price": llm.output_price,
        "is_default": llm.is_default,
        "is_active": llm.is_active,
    }
    return pick(Llm, columns, fields)
