"""The groups of a SCIM client, and the memberships that it gives."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from scim2_models import InvalidValueException, UniquenessException
from sqlalchemy import ARRAY, ColumnElement, Integer, Uuid, any_, bindparam, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.memberships import refresh_groups
from echomind_api.scim.clients import Client
from echomind_api.scim.filters import uuid_of
from echomind_api.scim.members import MAX_REMOVED, MemberChanges
from echomind_api.scim.people import find_row, meta_of, require_plain
from echomind_api.scim.schemas import Group, Member
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database

_BATCH: Final = 500
"""Accounts whose groups are written by one statement."""
_MAX_NAMED: Final = 20
"""Most members that the audit log names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsOfClients:
    """Reads and changes groups. A client sees its own, and of their members those that it has added."""

    database: Database

    async def get(self, client: Client, resource_id: str, *, with_members: bool) -> Group:
        """Returns a group.

        Raises:
            NotFoundException: The client has no such group.
        """
        async with self.database.session() as session:
            row = await find_row(session, client, rows.ScimGroup, resource_id)
            members = await _members(session, client, [row.group_id]) if with_members else {}
        return to_resource(row, members.get(row.group_id, ()))

    async def search(
        self, client: Client, where: ColumnElement[bool], start: int, count: int | None, *, with_members: bool
    ) -> tuple[int, list[Group]]:
        """Returns the number of matching groups, and some of them; see `People.search`."""
        table = rows.ScimGroup
        own = select(table).where(table.client_id == client.id, table.deleted_date.is_(None), where)
        async with self.database.session() as session:
            total = await session.scalar(select(func.count()).select_from(own.subquery()))
            page = own.order_by(table.creation_date, table.id).offset(max(start, 1) - 1).limit(count)
            found = list(await session.scalars(page)) if count != 0 else []
            ids = [row.group_id for row in found]
            members = await _members(session, client, ids) if with_members and ids else {}
        return total or 0, [to_resource(row, members.get(row.group_id, ())) for row in found]

    async def create(self, client: Client, group: Group, changes: MemberChanges) -> str:
        """Creates a group and returns its id. It is a new one here, whatever others are named, or one deleted before.

        Raises:
            UniquenessException: The client has such a group.
            InvalidValueException: A member is not a user of the client.
        """
        require_plain(group.display_name, group.external_id)
        name = group.display_name or ""
        async with self.database.session() as session:
            # Two equal requests at the same time must not make two groups.
            await session.execute(
                select(rows.ScimClient.id).where(rows.ScimClient.id == client.id).with_for_update(key_share=False)
            )
            row = await _like(session, client, name, group.external_id)
            if row is None:
                own = rows.Group(name=await _free_name(session, name), description="", display_name="")
                session.add(own)
                await session.flush()
                row = rows.ScimGroup(client_id=client.id, group_id=own.id, version=1)
                session.add(row)
            elif row.deleted_date is None:
                raise UniquenessException(detail="The client has a group with this displayName or externalId")
            else:
                row.deleted_date, row.version = None, row.version + 1
            await _describe(session, row, group)
            await session.flush()
            await self._change(session, client, row, changes)
            _note(session, client, "SCIM/CreateGroup", row, changes)
            return str(row.id)

    async def update(
        self, client: Client, group: Group, changes: MemberChanges, expected_version: str | None = None
    ) -> None:
        """Changes names and members of a group.

        Raises:
            NotFoundException: The client has no such group.
            PreconditionFailedException: The group has been changed.
            UniquenessException: The client has another group with the external id.
            InvalidValueException: A member is not a user of the client; or all members would be removed unnamed.
        """
        require_plain(group.display_name, group.external_id)
        async with self.database.session() as session:
            row = await find_row(session, client, rows.ScimGroup, group.id or "", expected_version, lock=True)
            other = await _like(session, client, "", group.external_id) if group.external_id else None
            if other is not None and other.id != row.id:
                raise UniquenessException(detail="The client has another group with this externalId")
            await _describe(session, row, group)
            row.version += 1
            await session.flush()
            await self._change(session, client, row, changes)
            _note(session, client, "SCIM/UpdateGroup", row, changes)

    async def delete(self, client: Client, resource_id: str, expected_version: str | None) -> None:
        """Takes back the memberships of a group, and forgets the id. The group stays, with what is shared with it.

        Raises:
            NotFoundException: The client has no such group.
            PreconditionFailedException: The group has been changed.
        """
        async with self.database.session() as session:
            row = await find_row(session, client, rows.ScimGroup, resource_id, expected_version, lock=True)
            ids = list(await session.scalars(_own(client, row.group_id)))
            await _remove(session, client, row.group_id, ids)
            row.deleted_date = func.now()
            _note(session, client, "SCIM/DeleteGroup", row, MemberChanges())

    async def _change(self, session: AsyncSession, client: Client, row: rows.ScimGroup, changes: MemberChanges) -> None:
        if not changes:
            return
        added = await _accounts(session, client, changes.added, required=True)
        if changes.is_whole:
            present = set(await session.scalars(_own(client, row.group_id)))
            if not added and len(present) > MAX_REMOVED:
                raise InvalidValueException(
                    detail=f"This would remove all {len(present)} members, none of whom it names. Of more than "
                    f"{MAX_REMOVED}, name those to remove, or delete the group"
                )
            removed = present - added
        else:
            removed = await _accounts(session, client, changes.removed, required=False)
        await _locked(session, added | set(removed))
        # Those who were removed before they were locked are no members any more: read them again.
        if added:
            added = await _accounts(session, client, changes.added, required=True)
        await _remove(session, client, row.group_id, removed)
        await _add(session, client, row.group_id, added)


def to_resource(row: rows.ScimGroup, members: Sequence[Member] = ()) -> Group:
    """Returns the group of a row with these members."""
    group = Group(display_name=row.display_name, external_id=row.external_id, members=list(members) or None)
    group.id, group.meta = str(row.id), meta_of(row, "Group")
    return group


async def _like(session: AsyncSession, client: Client, name: str, external_id: str | None) -> rows.ScimGroup | None:
    """Returns the client's group with an external id, or else with a name; a deleted one if there is no other."""
    table = rows.ScimGroup
    same_name = func.lower(table.display_name) == name.lower()
    # Groups of different external ids may have the same name, and those without one are not the same for that.
    has_no_id = table.external_id.is_(None)
    is_same = or_(table.external_id == external_id, same_name & has_no_id) if external_id else same_name
    found = (
        select(table)
        .where(table.client_id == client.id, is_same)
        .order_by(table.external_id.is_distinct_from(external_id), table.deleted_date.desc().nulls_first())
    )
    return await session.scalar(found.limit(1).with_for_update())


async def _free_name(session: AsyncSession, requested: str) -> str:
    """Returns a group's name that no group has; group names never change, and none is taken over."""
    taken = set(
        await session.scalars(
            select(rows.Group.name).where(rows.Group.name.startswith(requested[:200], autoescape=True))
        )
    )
    names = [requested, *(f"{requested[:245]} ({number})" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


async def _describe(session: AsyncSession, row: rows.ScimGroup, group: Group) -> None:
    row.external_id = group.external_id
    if row.display_name != group.display_name:
        row.display_name = group.display_name or ""
        own = await session.get_one(rows.Group, row.group_id, with_for_update=True)
        own.display_name = "" if own.name == row.display_name else row.display_name


async def _members(session: AsyncSession, client: Client, group_ids: Sequence[int]) -> Mapping[int, list[Member]]:
    member, user = rows.GroupMember, rows.ScimUser
    query = (
        select(member.group_id, user.id)
        .join(user, user.user_id == member.user_id)
        .where(member.group_id.in_(group_ids), member.source == client.source)
        .where(user.client_id == client.id, user.deleted_date.is_(None))
        .order_by(user.creation_date, user.id)
    )
    members: dict[int, list[Member]] = {}
    for group_id, resource_id in await session.execute(query):
        # Not validated one by one: they are ours, and may be thousands.
        listed = Member.model_construct(value=str(resource_id), ref=f"Users/{resource_id}", type="User")
        members.setdefault(group_id, []).append(listed)
    return members


def _own(client: Client, group_id: int) -> Any:
    member = rows.GroupMember
    return select(member.user_id).where(member.group_id == group_id, member.source == client.source)


async def _accounts(session: AsyncSession, client: Client, ids: Collection[str], *, required: bool) -> set[int]:
    """Returns the accounts of users.

    Raises:
        InvalidValueException: One is not a user of the client, if all are required.
    """
    keys = {key for text in ids if (key := uuid_of(text)) is not None}
    table = rows.ScimUser
    named = bindparam("keys", sorted(keys), ARRAY(Uuid))
    query = select(table.id, table.user_id).where(
        table.id == any_(named), table.client_id == client.id, table.deleted_date.is_(None)
    )
    found: dict[UUID, int] = {row.id: row.user_id for row in await session.execute(query)}
    if required:
        for text in ids:
            if uuid_of(text) not in found:
                raise InvalidValueException(detail=f"There is no user {text[:100]} to be a member")
    return set(found.values())


async def _add(session: AsyncSession, client: Client, group_id: int, user_ids: Collection[int]) -> None:
    member = rows.GroupMember
    for batch in await _locked(session, user_ids):
        ids = func.unnest(bindparam("ids", batch, ARRAY(Integer))).label("user_id")
        given = select(
            bindparam("group_id", group_id, Integer).label("group_id"),
            ids,
            bindparam("source", client.source).label("source"),
        )
        await session.execute(
            insert(member).from_select(["group_id", "user_id", "source"], given).on_conflict_do_nothing()
        )
        await refresh_groups(session, batch)


async def _remove(session: AsyncSession, client: Client, group_id: int, user_ids: Collection[int]) -> None:
    member = rows.GroupMember
    for batch in await _locked(session, user_ids):
        own = delete(member).where(member.group_id == group_id, member.source == client.source)
        await session.execute(own.where(member.user_id == any_(bindparam("ids", batch, ARRAY(Integer)))))
        await refresh_groups(session, batch)


async def _locked(session: AsyncSession, user_ids: Collection[int]) -> list[list[int]]:
    """Locks accounts, in the order in which all do, and returns their ids in batches."""
    ordered = sorted(user_ids)
    named = rows.User.id == any_(bindparam("ids", ordered, ARRAY(Integer)))
    await session.execute(select(rows.User.id).where(named).order_by(rows.User.id).with_for_update())
    return [ordered[first : first + _BATCH] for first in range(0, len(ordered), _BATCH)]


def _note(session: AsyncSession, client: Client, action: str, row: rows.ScimGroup, changes: MemberChanges) -> None:
    members = {"added": sorted(changes.added)[:_MAX_NAMED], "removed": sorted(changes.removed)[:_MAX_NAMED]}
    counts = {"added": len(changes.added), "removed": len(changes.removed)}
    session.add(
        rows.AuditEntry(
            actor_id=None,
            action=action,
            target=f"groups/{row.group_id}",
            detail={"source": client.source, "name": row.display_name, "counts": counts} | members,
        )
    )
