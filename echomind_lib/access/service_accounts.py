"""Access to service accounts: through the group that they belong to."""

from typing import Literal

from sqlalchemy import ColumnElement, and_, exists, select, true
from sqlalchemy.orm import aliased

from echomind_lib.access.groups import groups
from echomind_lib.access.principal import Principal
from echomind_lib.db.models.identity import Group, GroupAdmin, GroupMember, User


def service_accounts(action: Literal["read", "manage"], principal: Principal) -> ColumnElement[bool]:
    """Returns the condition that an account of `User` is a service account that a principal may read or change.

    Whoever may read a group with its members may read its service accounts, and whoever may change the members may
    change these accounts.

    Args:
        action: What is requested.
        principal: The caller.
    """
    owner = aliased(Group, name="owner")
    return and_(
        User.kind == "service",
        exists().where(owner.id == User.owner_group_id, groups(action, principal, owner)).correlate(User),
    )


def could_give_all(principal: Principal) -> ColumnElement[bool]:
    """Returns the condition that a principal could give an account of `User` all roles and groups that it has.

    Whoever creates a key of an account has what the account has. So those who may not give a role or a group must not
    get it by a key.
    """
    if principal.has_role("superadmin"):
        return true()
    member, admin = aliased(GroupMember, name="member"), aliased(GroupAdmin, name="own_group")
    own = select(admin.group_id).where(admin.user_id == principal.user_id)
    beyond = exists().where(member.user_id == User.id, member.group_id.not_in(own)).correlate(User)
    return and_(User.roles.contained_by(["user"]), ~beyond)
