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
DERIVED: Final = {"is_local_accounts_managed": "whether the environment decides", **UPDATED_BY}


def to_model(row: Any, local_accounts: bool | None) -> InstallationSettings:
    """Returns the settings of the row.

    Args:
        row: The row.
        local_accounts: What the environment says about local accounts; None if nothing.
    """
    settings = InstallationSettings.from_row(row)
    if local_accounts is None:
        return settings
    return settings.model_copy(update={"local_accounts": local_accounts, "is_local_accounts_managed": True})


def to_columns(settings: InstallationSettings, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields."""
    columns = {
        "link_sharing": settings.link_sharing.word,
        "memory_enabled": settings.memory_enabled,
        "local_accounts": settings.local_accounts,
    }
    return pick(InstallationSettings, columns, fields)
