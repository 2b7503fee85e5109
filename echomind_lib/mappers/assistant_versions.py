"""Versions of assistants."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers import assistants
from echomind_lib.models.public import AssistantVersion


def to_model(row: Any, created_by_name: str | None, changed_fields: Sequence[str]) -> AssistantVersion:
    """Returns the version of a row.

    Args:
        row: The row.
        created_by_name: The name of its author.
        changed_fields: Fields that differ from the previous version.
    """
    columns = {name: value for name, value in row.config.items() if name != "members"}
    snapshot = rows.Assistant(id=row.assistant_id, version=row.version, **columns)
    return AssistantVersion(
        assistant_id=row.assistant_id,
        version=row.version,
        assistant=assistants.to_model(snapshot, assistants.members_of_snapshot(row.config)),
        creation_date=row.creation_date,
        created_by=row.created_by or 0,
        created_by_name=created_by_name or "",
        restored_version=row.restored_version or 0,
        changed_fields=list(changed_fields),
    )
