"""Maps the settings of the installation."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import UPDATED_BY, UPDATED_BY_COLUMN, pick
from echomind_lib.models.public import InstallationSettings

ROW: Final = rows.InstallationSettings
MODEL: Final = InstallationSettings
INTERNAL: Final = {
    "id": "there is one row",
    "creation_date": "when the installation was made",
    "last_update": "the audit log says it",
    "has_quotas": "runs are charged only where there are quotas",
    "has_shared_knowledge": "runs look for no knowledge where there is none",
    **UPDATED_BY_COLUMN,
}
DERIVED: Final = UPDATED_BY


def to_model(row: Any) -> InstallationSettings:
    """Returns the settings of the row."""
    return InstallationSettings.from_row(row)


def to_columns(settings: InstallationSettings, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields."""
    columns = {"link_sharing": settings.link_sharing.word, "memory_enabled": settings.memory_enabled}
    return pick(InstallationSettings, columns, fields)
