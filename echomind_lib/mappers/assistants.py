"""Assistants."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT, SOFT_DELETE, pick
from echomind_lib.models.public import Assistant

ROW: Final = rows.Assistant
MODEL: Final = Assistant
INTERNAL: Final = {"created_by": "for administrators; stands in the audit log too", **AUDIT, **SOFT_DELETE}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> Assistant:
    """The assistant of a row."""
    return Assistant.model_validate(row, from_attributes=True)


def to_columns(assistant: Assistant, fields: Iterable[str]) -> dict[str, Any]:
    """Columns of the assistant; `config` is kept as ProtoJSON.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    config = assistant.config
    columns = {
        "name": assistant.name,
        "description": assistant.description,
        "llm_id": assistant.llm_id or None,
        "system_prompt": assistant.system_prompt,
        "task_prompt": assistant.task_prompt,
        "starter_messages": list(assistant.starter_messages),
        "is_default": assistant.is_default,
        "is_visible": assistant.is_visible,
        "display_priority": assistant.display_priority,
        "config": config.model_dump(mode="json", exclude_none=True) if config else {},
    }
    return pick(columns, fields)
