"""Whom a person can share with: the people and groups that they find by a part of their names."""

from typing import Any, Final

from sqlalchemy import ColumnElement, or_, true

from echomind_lib.access.principal import Principal
from echomind_lib.access.rule import Rule
from echomind_lib.access.ways import Reader, Way
from echomind_lib.db.models.identity import User

_GROUPS: Final = Rule((Way({}, role="superadmin"), Way({"name": Reader.GROUPS})))


def groups_to_share_with() -> Rule:
    """Returns the rule for groups that one can share with: everybody with their own, superadmins with all."""
    return _GROUPS


def finds_by_part_of_name(principal: Principal, *, everyone: bool) -> ColumnElement[bool]:
    """Returns the condition that a principal finds a person by a part of their name.

    Args:
        principal: Who searches. Admins find everyone, as they can list accounts.
        everyone: Whether users find everyone, instead of people of their groups.
    """
    if everyone or principal.has_role("admin"):
        return true()
    groups: Any = User.groups
    return or_(User.id == principal.user_id, groups.overlap(sorted(principal.groups)))
