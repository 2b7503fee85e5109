"""The members of a notebook: people, and groups with their people."""

from typing import Any

from sqlalchemy import Select, and_, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.directory import groups_to_share_with
from echomind_lib.access.notebooks import memberships
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers.notebooks import to_role
from echomind_lib.models import public

MAX_MEMBERS = 200
MAX_GROUPS = 50
_Row = rows.NotebookMember
_Group = rows.NotebookGroup


def _listed(notebook_id: int) -> Select[rows.NotebookMember, rows.User]:
    return (
        select(_Row, rows.User)
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(_Row.notebook_id == notebook_id)
        .order_by(_Row.creation_date, _Row.user_id)
    )


def _model(found: Any) -> public.NotebookMember:
    row, user = found
    return public.NotebookMember(
        user_id=user.id,
        user_name=user.user_name,
        name=" ".join(filter(None, (user.first_name, user.last_name))),
        role=to_role(row.role),
        creation_date=row.creation_date,
    )


async def list_members(session: AsyncSession, notebook_id: int) -> list[public.NotebookMember]:
    """Returns the people who are members by themselves, in the order in which they became it."""
    return [_model(row) for row in await session.execute(_listed(notebook_id))]


async def member_ids(session: AsyncSession, notebook_id: int) -> list[int]:
    """Returns the accounts of all members, by themselves and through groups."""
    member = memberships().c
    return list(await session.scalars(select(member.user_id).distinct().where(member.notebook_id == notebook_id)))


async def set_member(session: AsyncSession, request: public.SetNotebookMemberRequest) -> public.NotebookMember:
    """Adds a member or changes their role; the caller has locked the notebook.

    Raises:
        NotFoundError: There is no such active account, or for an id, no such member.
        ValidationFailedError: The request names nobody, or there would be too many members or no owner.
    """
    user_id = await _account(session, request)
    if request.role is not public.NotebookRole.OWNER:
        await _require_another_owner(session, request.id, user_id)
    values = {"notebook_id": request.id, "user_id": user_id, "role": request.role.word}
    await session.execute(
        insert(_Row)
        .values(values)
        .on_conflict_do_update(index_elements=["notebook_id", "user_id"], set_={"role": request.role.word})
    )
    counted = select(func.count()).where(_Row.notebook_id == request.id)
    if (await session.scalar(counted) or 0) > MAX_MEMBERS:
        rule = f"a notebook has at most {MAX_MEMBERS} members"
        raise ValidationFailedError(f"user_name: {rule}", user_name=rule)
    return _model((await session.execute(_listed(request.id).where(_Row.user_id == user_id))).one())


async def remove_member(session: AsyncSession, notebook_id: int, user_id: int) -> None:
    """Removes a member; the notebook is locked by the caller.

    Raises:
        NotFoundError: There is no such member.
        ValidationFailedError: There would be no owner, or they are a member through a group alone.
    """
    await _require_another_owner(session, notebook_id, user_id)
    removal = delete(_Row).where(_Row.notebook_id == notebook_id, _Row.user_id == user_id).returning(_Row.user_id)
    if await session.scalar(removal) is not None:
        return
    through = (
        _of_groups(notebook_id)
        .join(rows.GroupMember, rows.GroupMember.group_id == _Group.group_id)
        .where(rows.GroupMember.user_id == user_id)
    )
    if (found := (await session.execute(through)).first()) is not None:
        rule = f"is a member through the group {found.name}: remove the group from the notebook, or them from the group"
        raise ValidationFailedError(f"user_id: {rule}", user_id=rule)
    raise missing("member", user_id)


def _of_groups(notebook_id: int) -> Select[Any]:
    people = (
        select(func.count(rows.GroupMember.user_id.distinct()))
        .join(rows.User, and_(rows.User.id == rows.GroupMember.user_id, rows.User.is_active))
        .where(rows.GroupMember.group_id == rows.Group.id)
        .correlate(rows.Group)
        .scalar_subquery()
    )
    return (
        select(_Group, rows.Group.name, rows.Group.display_name, people.label("people"))
        .join(rows.Group, rows.Group.id == _Group.group_id)
        .where(_Group.notebook_id == notebook_id)
        .order_by(_Group.creation_date, _Group.group_id)
    )


async def list_groups(session: AsyncSession, notebook_id: int) -> list[public.NotebookGroup]:
    """Returns the groups of a notebook, in the order in which they were added."""
    return [
        public.NotebookGroup(
            group_id=row[0].group_id,
            name=row.name,
            display_name=row.display_name or "",
            role=to_role(row[0].role),
            member_count=row.people,
            creation_date=row[0].creation_date,
        )
        for row in await session.execute(_of_groups(notebook_id))
    ]


async def set_group(
    session: AsyncSession, principal: Principal, request: public.SetNotebookGroupRequest
) -> public.NotebookGroup:
    """Adds a group or changes its role; the caller has locked the notebook.

    Raises:
        NotFoundError: The principal cannot share with such a group, and it is not in the notebook.
        ValidationFailedError: It would be an owner, or there would be too many groups.
    """
    if request.role is public.NotebookRole.OWNER:
        rule = "a group is an editor or viewer: only people own notebooks"
        raise ValidationFailedError(f"role: {rule}", role=rule)
    group, rule_of = rows.Group, groups_to_share_with()
    is_there = select(_Group.group_id).where(_Group.notebook_id == request.id)
    known = (
        select(group.id)
        .where(group.id == request.group_id, or_(group.id.in_(is_there), rule_of.where(group)))
        .params(rule_of.values(principal))
    )
    if await session.scalar(known) is None:
        raise missing("group", request.group_id)
    values = {"notebook_id": request.id, "group_id": request.group_id, "role": request.role.word}
    await session.execute(
        insert(_Group)
        .values(values)
        .on_conflict_do_update(index_elements=["notebook_id", "group_id"], set_={"role": request.role.word})
    )
    groups = await list_groups(session, request.id)
    if len(groups) > MAX_GROUPS:
        rule = f"a notebook has at most {MAX_GROUPS} groups"
        raise ValidationFailedError(f"group_id: {rule}", group_id=rule)
    return next(each for each in groups if each.group_id == request.group_id)


async def remove_group(session: AsyncSession, notebook_id: int, group_id: int) -> None:
    """Removes a group; the notebook is locked by the caller.

    Raises:
        NotFoundError: It is not in the notebook.
    """
    removal = delete(_Group).where(_Group.notebook_id == notebook_id, _Group.group_id == group_id)
    if await session.scalar(removal.returning(_Group.group_id)) is None:
        raise missing("group", group_id)


async def _account(session: AsyncSession, request: public.SetNotebookMemberRequest) -> int:
    """Returns the account that a request names.

    Only members can be referred to by id; others require their exact name, so that accounts cannot be listed.
    """
    if request.user_id:
        is_member = select(_Row.user_id).where(_Row.notebook_id == request.id, _Row.user_id == request.user_id)
        found = await session.scalar(is_member)
    elif name := request.user_name.strip().lower():
        users = rows.User
        is_named = or_(func.lower(users.user_name) == name, func.lower(users.email) == name)
        named = select(users.id).where(users.is_active, is_named).order_by(func.lower(users.user_name) != name)
        found = await session.scalar(named.limit(1))
    else:
        raise ValidationFailedError("Name the account by `user_name` or `user_id`.", user_name="is needed")
    if found is None:
        raise missing("active account", request.user_id or request.user_name)
    return found


async def _require_another_owner(session: AsyncSession, notebook_id: int, user_id: int) -> None:
    """Raises `ValidationFailedError` when a member is the only owner."""
    owners = set(
        await session.scalars(select(_Row.user_id).where(_Row.notebook_id == notebook_id, _Row.role == "owner"))
    )
    if owners == {user_id}:
        rule = "a notebook needs an owner: make somebody else one first, or remove the notebook"
        raise ValidationFailedError(f"role: {rule}", role=rule)
