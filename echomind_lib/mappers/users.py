"""Accounts."""

from collections.abc import Iterable, Sequence
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import GroupMembership, Role, User


def to_model(row: Any, memberships: Sequence[tuple[str, str]] = ()) -> User:
    """Returns the account of a row.

    Args:
        row: The row.
        memberships: Group and source of each membership; empty in lists.
    """
    given = [GroupMembership(group=group, source=source) for group, source in memberships]
    return User.from_row(row, memberships=given)


def to_columns(user: User, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the account. Memberships and new groups are derived from `groups`.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    roles = {Role.USER, *user.roles}
    columns = {
        "user_name": user.user_name,
        "email": user.email or None,
        "first_name": user.first_name or None,
        "last_name": user.last_name or None,
        "roles": [role.word for role in Role if role in roles],
        "groups": sorted(user.groups),
        "preferences": user.preferences.model_dump(mode="json", exclude_none=True) if user.preferences else {},
        "is_active": user.is_active,
    }
    return pick(User, columns, fields)
