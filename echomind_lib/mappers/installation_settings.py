"""Maps the settings of the installation."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import InstallationSettings


def to_model(row: Any, local_accounts: bool | None) -> InstallationSettings:
    """Returns the settings of the row.

    Args:
        row: The row.
        local_accounts: What the environment says about local accounts; None if nothing.
    """
    if local_accounts is None:
        return InstallationSettings.from_row(row)
    return InstallationSettings.from_row(row, local_accounts=local_accounts, is_local_accounts_managed=True)


def to_columns(settings: InstallationSettings, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields."""
    columns = {
        "link_sharing": settings.link_sharing.word,
        "memory_enabled": settings.memory_enabled,
        "local_accounts": settings.local_accounts,
    }
    return pick(InstallationSettings, columns, fields)
