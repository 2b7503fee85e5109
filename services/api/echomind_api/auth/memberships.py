"""Memberships of groups by source: `manual`, a provider, a SCIM client. Each source changes its own alone."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlalchemy import Text, any_, bindparam, delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError

MANUAL: Final = "manual"
"""Source of memberships that administrators give."""


def source_of_provider(issuer: str) -> str:
    """Returns the source of what a provider gives."""
    return f"provider:{issuer}"


def source_of_client(name: str) -> str:
    """Returns the source of what a SCIM client gives."""
    return f"scim:{name}"


async def set_memberships(session: AsyncSession, user: rows.User, source: str, names: Collection[str]) -> None:
    """Makes the groups that a source gives to an account exactly these; missing groups are created.

    Args:
        session: The transaction, in which the account is locked.
        user: The account; its `groups` are read again.
        source: Any source but `manual`, whose memberships follow `users.groups`.
        names: Names of the groups.
    """
    given = sorted(set(names))
    if given:
        missing = select(func.unnest(bindparam("names", given, ARRAY(Text))).label("name")).subquery()
        unknown = select(missing.c.name).where(~select(rows.Group.id).where(rows.Group.name == missing.c.name).exists())
        await session.execute(
            insert(rows.Group).from_select(["name"], unknown.order_by(missing.c.name)).on_conflict_do_nothing()
        )
    ids = select(rows.Group.id).where(rows.Group.name == any_(bindparam("names", given, ARRAY(Text))))
    own = (rows.GroupMember.user_id == user.id) & (rows.GroupMember.source == source)
    await session.execute(delete(rows.GroupMember).where(own, rows.GroupMember.group_id.not_in(ids)))
    added = ids.add_columns(bindparam("user_id", user.id).label("user_id"), bindparam("source", source).label("source"))
    columns = ["group_id", "user_id", "source"]
    await session.execute(insert(rows.GroupMember).from_select(columns, added).on_conflict_do_nothing())
    await refresh_groups(session, [user.id])
    await session.refresh(user, ["groups"])


async def add_manual(session: AsyncSession, group_id: int, user_ids: Collection[int]) -> None:
    """Records a membership by hand of accounts that other sources have made members already."""
    member = rows.GroupMember
    present = select(member.group_id, member.user_id, literal(MANUAL).label("source")).where(
        member.group_id == group_id, member.user_id.in_(list(user_ids))
    )
    columns = ["group_id", "user_id", "source"]
    await session.execute(insert(member).from_select(columns, present.distinct()).on_conflict_do_nothing())


async def refresh_groups(session: AsyncSession, user_ids: Iterable[int]) -> None:
    """Makes `users.groups` follow the memberships, after other ones than those by hand were changed."""
    await session.execute(
        update(rows.User)
        .where(rows.User.id.in_(list(user_ids)))
        .values(groups=rows.User.groups)
        .execution_options(synchronize_session=False)
    )


async def sources_of(session: AsyncSession, user_id: int) -> Sequence[tuple[str, str]]:
    """Returns the memberships of an account as (group, source), in order."""
    query = (
        select(rows.Group.name, rows.GroupMember.source)
        .join(rows.GroupMember, rows.GroupMember.group_id == rows.Group.id)
        .where(rows.GroupMember.user_id == user_id)
        .order_by(rows.Group.name, rows.GroupMember.source)
    )
    return [(name, source) for name, source in (await session.execute(query)).all()]


async def require_manual(
    session: AsyncSession, user_ids: Collection[int], names: Collection[str], *, field: str
) -> None:
    """Raises an error for a membership that is to be removed by hand and that other sources alone give.

    Args:
        session: The transaction.
        user_ids: The accounts.
        names: Names of the groups that they are to leave.
        field: Field of the request, for the error.

    Raises:
        ValidationFailedError: A provider or SCIM client gives one of the memberships.
    """
    other = aliased(rows.GroupMember)
    by_hand = select(other.user_id).where(
        other.user_id == rows.GroupMember.user_id,
        other.group_id == rows.GroupMember.group_id,
        other.source == MANUAL,
    )
    query = (
        select(rows.User.user_name, rows.Group.name, rows.GroupMember.source)
        .join(rows.GroupMember, rows.GroupMember.user_id == rows.User.id)
        .join(rows.Group, rows.Group.id == rows.GroupMember.group_id)
        .where(rows.GroupMember.source != MANUAL, rows.User.id.in_(list(user_ids)), rows.Group.name.in_(list(names)))
        .where(~by_hand.exists())
        .order_by(rows.User.id, rows.Group.name)
        .limit(1)
    )
    found = (await session.execute(query)).one_or_none()
    if found is not None:
        user_name, group, source = found
        rule = f"{user_name} is in {group} by {source}: remove the membership there"
        raise ValidationFailedError.of(field, rule)
