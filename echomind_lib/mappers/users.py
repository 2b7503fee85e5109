"""Accounts."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT, pick
from echomind_lib.models.public import Role, User

ROW: Final = rows.User
MODEL: Final = User
INTERNAL: Final = {
    "external_id": "the identity provider's name of the account",
    "skipped_setup_steps": "read as `Setup`, by the account itself",
    "has_facts": "runs of others look for no memories and no knowledge",
    "is_setup_hidden": "read as `Setup`, by the account itself",
    **AUDIT,
}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> User:
    """Returns the account of a row."""
    return User.from_row(row)


def to_columns(user: User, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the account. Memberships and new groups are derived from `groups`.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    roles = {Role.USER, *user.roles}
    columns = {
        "user_name": user.user_name,
        "email": user.email,
        "first_name": user.first_name or None,
        "last_name": user.last_name or None,
        "roles": [role.word for role in Role if role in roles],
        "groups": sorted(user.groups),
        "preferences": user.preferences.model_dump(mode="json", exclude_none=True) if user.preferences else {},
        "is_active": user.is_active,
    }
    return pick(columns, fields, set_by_server=frozenset({"last_login", "is_email_verified"}))
