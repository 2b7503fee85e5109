"""The members of a group: who they are, by which sources, and whom a request names."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ARRAY, Select, Text, any_, bindparam, delete, func, or_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.people import require_person
from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.groups import groups
from echomind_lib.access.service_accounts import service_accounts
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.models.public import AccountKind, GroupMember, ListGroupMembersRequest, ListGroupMembersResponse

_LOWER_NAME = func.lower(rows.User.user_name)


async def list_members(session: AsyncSession, request: ListGroupMembersRequest) -> ListGroupMembersResponse:
    """Returns a page of the members of a group, which the caller may read."""
    page = read_page(request.page_size, request.page_token, tuple[str], "group_members", request.id)
    found, token = page.cut(
        (await session.execute(page.select(_members(request.id), _LOWER_NAME))).all(),
        lambda row: (row[0].user_name.lower(),),
    )
    return ListGroupMembersResponse(members=[_model(row, request.id) for row in found], next_page_token=token)


async def named_accounts(
    session: AsyncSession, principal: Principal, group_id: int, user_ids: Collection[int], names: Sequence[str]
) -> list[int]:
    """Returns the ids of the accounts that a request names.

    Admins of a group name others than its members by their exact names, so that accounts cannot be listed.

    Raises:
        NotFoundError: There is no such account, or not to the caller.
    """
    known = select(rows.User.id).where(rows.User.id.in_(user_ids))
    if not principal.has_role("superadmin"):
        members = select(rows.GroupMember.user_id).where(rows.GroupMember.group_id == group_id)
        known = known.where(rows.User.id.in_(members))
    found = set(await session.scalars(known))
    if unknown := sorted(set(user_ids) - found):
        raise missing("user", unknown[0])
    if not names:
        return sorted(found)
    lowered = bindparam("names", [name.strip().lower() for name in names], ARRAY(Text))
    user_name, email = func.lower(rows.User.user_name), func.lower(rows.User.email)
    named = select(rows.User.id, user_name.label("user_name"), email.label("email")).where(
        rows.User.is_active, or_(user_name == any_(lowered), email == any_(lowered))
    )
    # A service account of others would give them, by its keys, what the group's members read.
    named = named.where(or_(rows.User.kind == "person", service_accounts("manage", principal)))
    accounts = (await session.execute(named)).all()
    # A user name that is another account's e-mail address names the account with that user name.
    by_name = {row.email: row.id for row in accounts} | {row.user_name: row.id for row in accounts}
    for name in names:
        if (user_id := by_name.get(name.strip().lower())) is None:
            raise missing("active account", name)
        found.add(user_id)
    return sorted(found)


async def managed_group(session: AsyncSession, principal: Principal, group_id: int) -> rows.Group:
    """Returns a group whose members and service accounts the principal may change; it is locked.

    Raises:
        NotFoundError: There is no such group to the principal.
        PermissionDeniedError: They may read it alone.
    """
    group = rows.Group
    found = await session.execute(
        select(group, groups("manage", principal).label("can_manage"))
        .where(group.id == group_id, groups("read", principal))
        # Others may add members of the group meanwhile, for which foreign keys lock its key.
        .with_for_update(of=group, key_share=True)
    )
    if (row := found.one_or_none()) is None:
        raise missing("group", group_id)
    if not row.can_manage:
        rule = "Members and service accounts of a group are changed by its admins and by the role superadmin."
        raise PermissionDeniedError(rule, required="superadmin")
    return row[0]


async def lock_accounts(session: AsyncSession, user_ids: Collection[int]) -> None:
    """Locks accounts until the transaction ends, so that no other source changes their memberships meanwhile.

    What another source gives is read after this: otherwise a membership by hand could be stored beside one that a SCIM
    client is removing, and the account's `groups` would lack it.
    """
    await session.execute(
        select(rows.User.id).where(rows.User.id.in_(user_ids)).order_by(rows.User.id).with_for_update()
    )


async def require_not_owner(session: AsyncSession, group: rows.Group, user_ids: Collection[int]) -> None:
    """Raises an error if one of the accounts is a service account that belongs to the group.

    Raises:
        ValidationFailedError: One does, so that it stays a member.
    """
    user = rows.User
    query = select(user.user_name).where(user.id.in_(user_ids), user.owner_group_id == group.id).order_by(user.id)
    if (name := await session.scalar(query.limit(1))) is not None:
        rule = f"the service account {name} belongs to {group.name}: give it to another group or deactivate it"
        raise ValidationFailedError(f"user_ids: {rule}", user_ids=rule)


async def set_admin(session: AsyncSession, group_id: int, user_id: int, *, is_admin: bool) -> GroupMember:
    """Makes a member an admin of a group, or no admin any more.

    Raises:
        NotFoundError: There is no such member.
        ValidationFailedError: It is a service account.
    """
    await require_person(session, user_id, field="user_id")
    # Whoever changes the person's memberships waits for this lock, so that no admin remains who is no member.
    locked = select(rows.User.id).where(rows.User.id == user_id).with_for_update(key_share=True)
    await session.execute(locked)
    member = rows.GroupMember
    is_member = select(member.user_id).where(member.group_id == group_id, member.user_id == user_id).limit(1)
    if await session.scalar(is_member) is None:
        raise missing("member", user_id)
    admin = rows.GroupAdmin
    if is_admin:
        values = {"group_id": group_id, "user_id": user_id}
        await session.execute(insert(admin).values(values).on_conflict_do_nothing())
    else:
        await session.execute(delete(admin).where(admin.group_id == group_id, admin.user_id == user_id))
    return _model((await session.execute(_members(group_id).where(rows.User.id == user_id))).one(), group_id)


def _members(group_id: int) -> Select[Any]:
    member, admin = rows.GroupMember, rows.GroupAdmin
    sources = func.array_agg(aggregate_order_by(member.source, member.source)).label("sources")
    by_source = (
        select(member.user_id, sources)
        .where(member.group_id == group_id)
        .group_by(member.user_id)
        .subquery("by_source")
    )
    is_admin = select(admin.user_id).where(admin.group_id == group_id, admin.user_id == rows.User.id).exists()
    return select(rows.User, by_source.c.sources, is_admin.label("is_admin")).join(
        by_source, by_source.c.user_id == rows.User.id
    )


def _model(found: Any, group_id: int) -> GroupMember:
    user = found[0]
    return GroupMember(
        user_id=user.id,
        user_name=user.user_name,
        name=" ".join(filter(None, (user.first_name, user.last_name))),
        is_active=user.is_active,
        kind=AccountKind.from_word(user.kind),
        belongs_to_group=user.owner_group_id == group_id,
        is_admin=found.is_admin,
        sources=found.sources,
    )
