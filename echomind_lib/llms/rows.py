"""SQL expressions that select chat models."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Double, cast, or_, select

from echomind_lib.db.models import Assistant, Llm
from echomind_lib.db.statements import columns, part
from echomind_lib.llms.record import LlmRecord

_is_assistants = Llm.id == Assistant.llm_id
SESSION_MODEL: Final = (
    select(Llm)
    .where(Llm.is_active, Llm.deleted_date.is_(None), or_(_is_assistants, Llm.is_default))
    .order_by(_is_assistants.desc().nulls_last())
    .limit(1)
    .correlate(Assistant)
    .lateral("model")
)
"""The assistant's model, or the default one; to be joined to `Assistant` with a LATERAL outer join."""


def model_part(name: str, model: Any = SESSION_MODEL.c) -> list[ColumnElement[Any]]:
    """Returns the columns of `SESSION_MODEL`, or of `model`, as the field `name` of a row, an `LlmRecord` or None."""
    floats = {name: cast(getattr(model, name), Double) for name in ("temperature", "input_price", "output_price")}
    return part(name, *columns(LlmRecord, model, **floats))
