"""Accounts of programs."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Role, ServiceAccount


class _Named:
    """A row of `users` whose user name is its name, as it is of programs."""

    def __init__(self, row: Any) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, "user_name" if name == "name" else name)


def to_model(row: Any, **derived: Any) -> ServiceAccount:
    """Returns the service account of a row of `users`.

    Args:
        row: The row.
        derived: The fields that are no columns.
    """
    return ServiceAccount.from_row(_Named(row), **derived)


def to_columns(account: ServiceAccount, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields of a service account.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    roles = {Role.USER, *account.roles}
    columns = {
        "name": account.name,
        "purpose": account.purpose,
        "owner_group_id": account.owner_group_id,
        "roles": [role.word for role in Role if role in roles],
        "groups": sorted(account.groups),
        "is_active": account.is_active,
    }
    written = pick(ServiceAccount, columns, fields)
    return {"user_name" if name == "name" else name: value for name, value in written.items()}
