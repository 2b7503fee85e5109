"""The members of a notebook."""

from typing import Any

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers.notebooks import to_role
from echomind_lib.models.public import NotebookMember, NotebookRole, SetNotebookMemberRequest

MOST_MEMBERS = 200
_Row = rows.NotebookMember


def _listed(notebook_id: int) -> Select[rows.NotebookMember, rows.User]:
    return (
        select(_Row, rows.User)
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(_Row.notebook_id == notebook_id)
        .order_by(_Row.creation_date, _Row.user_id)
    )


def _model(found: Any) -> NotebookMember:
    row, user = found
    return NotebookMember(
        user_id=user.id,
        user_name=user.user_name,
        name=" ".join(filter(None, (user.first_name, user.last_name))),
        role=to_role(row.role),
        creation_date=row.creation_date,
    )


async def list_members(session: AsyncSession, notebook_id: int) -> list[NotebookMember]:
    """Returns all members, in the order in which they became it."""
    return [_model(row) for row in await session.execute(_listed(notebook_id))]


async def member_ids(session: AsyncSession, notebook_id: int) -> list[int]:
    """Returns the accounts of all members."""
    return list(await session.scalars(select(_Row.user_id).where(_Row.notebook_id == notebook_id)))


async def set_member(session: AsyncSession, request: SetNotebookMemberRequest) -> NotebookMember:
    """Adds a member or changes their role; the caller has locked the notebook.

    Raises:
        NotFoundError: There is no such active account, or for an id, no such member.
        ValidationFailedError: The request names nobody, or there would be too many members or no owner.
    """
    user_id = await _account(session, request)
    if request.role is not NotebookRole.OWNER:
        await _require_another_owner(session, request.id, user_id)
    values = {"notebook_id": request.id, "user_id": user_id, "role": request.role.word}
    await session.execute(
        insert(_Row)
        .values(values)
        .on_conflict_do_update(index_elements=["notebook_id", "user_id"], set_={"role": request.role.word})
    )
    if len(await member_ids(session, request.id)) > MOST_MEMBERS:
        rule = f"a notebook has at most {MOST_MEMBERS} members"
        raise ValidationFailedError(f"user_name: {rule}", user_name=rule)
    return _model((await session.execute(_listed(request.id).where(_Row.user_id == user_id))).one())


async def remove_member(session: AsyncSession, notebook_id: int, user_id: int) -> None:
    """Removes a member; the notebook is locked by the caller.

    Raises:
        NotFoundError: There is no such member.
        ValidationFailedError: There would be no owner.
    """
    await _require_another_owner(session, notebook_id, user_id)
    removal = delete(_Row).where(_Row.notebook_id == notebook_id, _Row.user_id == user_id).returning(_Row.user_id)
    if await session.scalar(removal) is None:
        raise missing("member", user_id)


async def _account(session: AsyncSession, request: SetNotebookMemberRequest) -> int:
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
