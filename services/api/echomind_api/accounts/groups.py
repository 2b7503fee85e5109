"""Groups of users and their members."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, any_, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.accounts.group_members import (
    list_members,
    lock_accounts,
    managed_group,
    named_accounts,
    require_not_owner,
    set_admin,
)
from echomind_api.auth.credentials import Credential, hold
from echomind_api.auth.memberships import add_manual, refresh_groups, require_manual
from echomind_api.auth.principals import Principals
from echomind_api.people import with_updater, with_updaters
from echomind_api.rows import audit, missing, unique
from echomind_lib.access import Principal, require_role
from echomind_lib.access.groups import groups as rule_of
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers.columns import pick
from echomind_lib.models import public


class Groups(public.GroupService):
    """The service `GroupService`."""

    def __init__(self, database: Database, principals: Principals) -> None:
        self._database = database
        self._principals = principals

    @override
    async def list_groups(self, request: public.ListGroupsRequest, call: CallContext) -> public.ListGroupsResponse:
        key = (call.principal.user_id, request.query)
        page = read_page(request.page_size, request.page_token, tuple[str], "groups", *key)
        query = page.select(_counted(call.principal), rows.Group.name).where(rule_of("read", call.principal))
        if request.query:
            columns = (rows.Group.name, rows.Group.display_name, rows.Group.description)
            query = query.where(or_(*(column.icontains(request.query, autoescape=True) for column in columns)))
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].name,))
            listed = await with_updaters(session, [(row[0], _model(row)) for row in found])
        return public.ListGroupsResponse(groups=listed, next_page_token=token)

    @override
    async def get_group(self, request: public.GetGroupRequest, call: CallContext) -> public.Group:
        async with self._database.session() as session:
            return await _read(session, call.principal, request.id)

    @override
    async def list_group_members(
        self, request: public.ListGroupMembersRequest, call: CallContext
    ) -> public.ListGroupMembersResponse:
        async with self._database.session() as session:
            await _read(session, call.principal, request.id)
            return await list_members(session, request)

    @override
    async def create_group(self, request: public.CreateGroupRequest, call: CallContext) -> public.Group:
        async with self._database.session() as session:
            await _administer(session, call)
            row = rows.Group(
                name=request.group.name,
                description=request.group.description,
                display_name=request.group.display_name,
            )
            session.add(row)
            with unique("group", {"groups_name_key": "name"}):
                await session.flush()
            audit(session, call, f"groups/{row.id}", name=row.name)
            await session.flush()
            return await _read(session, call.principal, row.id)

    @override
    async def update_group(self, request: public.UpdateGroupRequest, call: CallContext) -> public.Group:
        fields = {"display_name": request.group.display_name, "description": request.group.description}
        columns = pick(public.Group, fields, request.update_mask)
        async with self._database.session() as session:
            await _administer(session, call)
            row = await _locked(session, request.id)
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"groups/{row.id}", fields=sorted(columns))
            await session.flush()
            return await _read(session, call.principal, row.id)

    @override
    async def delete_group(self, request: public.DeleteGroupRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            await _administer(session, call)
            row = await _locked(session, request.id)
            group = await _read(session, call.principal, row.id)
            quotas, datasets = (await session.execute(_bound_to(row))).one()
            accounts = group.service_account_count
            if group.connector_count or group.assistant_count or quotas or datasets or accounts:
                shared = (
                    f"{group.connector_count} connectors, {group.assistant_count} assistants and {datasets} datasets"
                )
                own = f"and it has {quotas} quotas and {accounts} service accounts"
                rule = f"{shared} are shared with the group, {own}: remove or change them first"
                raise ValidationFailedError(f"id: {rule}", id=rule)
            members = list(await session.scalars(_members(row.id).order_by(rows.User.id).with_for_update()))
            await session.execute(delete(rows.GroupMember).where(rows.GroupMember.group_id == row.id))
            await refresh_groups(session, [user.id for user in members])
            await session.execute(delete(rows.Group).where(rows.Group.id == row.id))
            audit(session, call, f"groups/{row.id}", name=row.name, members=len(members))
        self._forget([user.id for user in members])
        return Empty()

    @override
    async def add_group_members(self, request: public.AddGroupMembersRequest, call: CallContext) -> public.Group:
        if not request.user_ids and not request.user_names:
            rule = "name somebody by `user_names` or `user_ids`"
            raise ValidationFailedError(f"user_names: {rule}", user_names=rule)
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            credential.require_lasting("A membership")
            row = await managed_group(session, call.principal, request.id)
            named = await named_accounts(session, call.principal, row.id, request.user_ids, request.user_names)
            return await self._change(session, call, row, named, is_member=True)

    @override
    async def remove_group_members(self, request: public.RemoveGroupMembersRequest, call: CallContext) -> public.Group:
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await managed_group(session, call.principal, request.id)
            named = await named_accounts(session, call.principal, row.id, request.user_ids, ())
            return await self._change(session, call, row, named, is_member=False)

    @override
    async def set_group_admin(self, request: public.SetGroupAdminRequest, call: CallContext) -> public.GroupMember:
        async with self._database.session() as session:
            credential = await _administer(session, call)
            credential.require_lasting("The administration of a group")
            row = await _locked(session, request.id)
            member = await set_admin(session, row.id, request.user_id, is_admin=request.is_admin)
            audit(session, call, f"groups/{row.id}", user=request.user_id, is_admin=request.is_admin)
            return member

    async def _change(
        self, session: AsyncSession, call: CallContext, row: rows.Group, user_ids: Sequence[int], *, is_member: bool
    ) -> public.Group:
        await lock_accounts(session, user_ids)
        if not is_member:
            await require_manual(session, user_ids, [row.name], field="user_ids")
            await require_not_owner(session, row, user_ids)
        await _set_member(session, call, row, user_ids, is_member=is_member)
        audit(session, call, f"groups/{row.id}", users=sorted(user_ids))
        await session.flush()
        self._forget(user_ids)
        # Whoever has left the group may not read it any more, yet learns what became of it.
        found = (await session.execute(_counted(call.principal).where(rows.Group.id == row.id))).one()
        return await with_updater(session, row, _model(found))

    def _forget(self, user_ids: Sequence[int]) -> None:
        for user_id in user_ids:
            self._principals.forget(user_id)


async def _administer(session: AsyncSession, call: CallContext) -> Credential:
    require_role(call.principal, "superadmin")
    return await hold(session, call.principal)


async def _locked(session: AsyncSession, group_id: int) -> rows.Group:
    row = await session.get(rows.Group, group_id, with_for_update=True)
    if row is None:
        raise missing("group", group_id)
    return row


async def _set_member(
    session: AsyncSession, call: CallContext, row: rows.Group, user_ids: Sequence[int], *, is_member: bool
) -> None:
    """Adds a group's name to accounts, or removes it; a trigger updates the memberships.

    Whom another source has made a member already becomes one by hand as well, and stays when that source ends it.
    """
    name = row.name
    if is_member:
        await add_manual(session, row.id, user_ids)
    change = func.array_append if is_member else func.array_remove
    has = rows.User.groups.contains([name])
    await session.execute(
        update(rows.User)
        .where(rows.User.id.in_(user_ids), ~has if is_member else has)
        .values(groups=change(rows.User.groups, name), user_id_last_update=call.principal.user_id)
        .execution_options(synchronize_session=False)
    )


def _members(group_id: int) -> Select[rows.User]:
    members = select(rows.GroupMember.user_id).where(rows.GroupMember.group_id == group_id)
    return select(rows.User).where(rows.User.id.in_(members))


def _bound_to(group: rows.Group) -> Select[int, int]:
    """Returns the statement of the numbers of quotas and of datasets that are for a group."""
    quota, dataset = rows.Quota, rows.EvaluationDataset
    quotas = select(func.count()).where(quota.group_id == group.id).scalar_subquery()
    datasets = select(func.count()).where(any_(dataset.groups) == group.name).scalar_subquery()
    return select(quotas, datasets)


def _counted(principal: Principal) -> Select[Any]:
    member, admin = rows.GroupMember, rows.GroupAdmin
    members = select(func.count(member.user_id.distinct())).where(member.group_id == rows.Group.id).scalar_subquery()
    admins = select(func.count()).where(admin.group_id == rows.Group.id).scalar_subquery()
    connectors = (
        select(func.count())
        .where(rows.Connector.scope == "group", rows.Connector.scope_id == rows.Group.name)
        .where(rows.Connector.deleted_date.is_(None))
        .scalar_subquery()
    )
    assistants = (
        select(func.count())
        .where(any_(rows.Assistant.groups) == rows.Group.name, rows.Assistant.deleted_date.is_(None))
        .scalar_subquery()
    )
    accounts = select(func.count()).where(rows.User.owner_group_id == rows.Group.id).scalar_subquery()
    return select(
        rows.Group,
        members.label("member_count"),
        admins.label("admin_count"),
        connectors.label("connector_count"),
        assistants.label("assistant_count"),
        accounts.label("service_account_count"),
        rule_of("manage", principal).label("can_manage"),
    )


async def _read(session: AsyncSession, principal: Principal, group_id: int) -> public.Group:
    """Returns a group that the principal may read.

    Raises:
        NotFoundError: There is no such group to the principal.
    """
    query = _counted(principal).where(rows.Group.id == group_id, rule_of("read", principal))
    found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
    if found is None:
        raise missing("group", group_id)
    return await with_updater(session, found[0], _model(found))


def _model(found: Any) -> public.Group:
    row, *_ = found
    return public.Group.from_row(
        row,
        member_count=found.member_count,
        admin_count=found.admin_count,
        connector_count=found.connector_count,
        assistant_count=found.assistant_count,
        service_account_count=found.service_account_count,
        can_manage=found.can_manage,
    )
