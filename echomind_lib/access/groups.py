"""Access to groups: whoever administers, and the admins of a group."""

from typing import Any, Literal

from sqlalchemy import ColumnElement, exists, true
from sqlalchemy.orm import aliased

from echomind_lib.access.principal import Principal
from echomind_lib.db.models.identity import Group, GroupAdmin


def groups(action: Literal["read", "manage"], principal: Principal, group: Any = Group) -> ColumnElement[bool]:
    """Returns the condition that a principal may read a group with its members, or add and remove these.

    Admins of a group do both; the role `admin` reads all groups, and `superadmin` manages them.

    Args:
        action: What is requested.
        principal: The caller.
        group: `Group` or an alias of it.
    """
    if principal.has_role("admin" if action == "read" else "superadmin"):
        return true()
    admin = aliased(GroupAdmin, name="group_admin")
    return exists().where(admin.group_id == group.id, admin.user_id == principal.user_id).correlate_except(admin)
