"""The members of a group: who they are, by which sources, and whom a request names."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ARRAY, Select, Text, any_, bindparam, delete, func, or_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.models.public import GroupMember, ListGroupMembersRequest, ListGroupMembersResponse

_LOWER_NAME = func.lower(rows.User.user_name)


async def list_members(session: AsyncSession, request: ListGroupMembersRequest) -> ListGroupMembersResponse:
    """Returns a page of the members of a group, which the caller may read."""
    page = read_page(request.page_size, request.page_token, tuple[str], "group_members", request.id)
    found, token = page.cut(
        (await session.execute(page.select(_members(request.id), _LOWER_NAME))).all(),
        lambda row: (row[0].user_name.lower(),),
    )
    return ListGroupMembersResponse(members=[_model(row) for row in found], next_page_token=token)


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
    accounts = (await session.execute(named)).all()
    # A user name that is another account's e-mail address names the account with that user name.
    by_name = {row.email: row.id for row in accounts} | {row.user_name: row.id for row in accounts}
    for name in names:
        if (user_id := by_name.get(name.strip().lower())) is None:
            raise missing("active account", name)
        found.add(user_id)
    return sorted(found)


async def set_admin(session: AsyncSession, group_id: int, user_id: int, *, is_admin: bool) -> GroupMember:
    """Makes a member an admin of a group, or no admin any more.

    Raises:
        NotFoundError: There is no such member.
    """
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
    return _model((await session.execute(_members(group_id).where(rows.User.id == user_id))).one())


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


def _model(found: Any) -> GroupMember:
    user = found[0]
    return GroupMember(
        user_id=user.id,
        user_name=user.user_name,
        name=" ".join(filter(None, (user.first_name, user.last_name))),
        is_active=user.is_active,
        is_admin=found.is_admin,
        sources=found.sources,
    )
