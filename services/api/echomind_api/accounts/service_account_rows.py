"""Rows of service accounts: found for a caller, checked against what the caller may give, and shown."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.people import names_of, with_updaters
from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.groups import groups as groups_rule
from echomind_lib.access.service_accounts import could_give_all, service_accounts
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import service_accounts as mapper
from echomind_lib.models import public

LIMIT: Final = 100
"""Maximum number of service accounts of a group."""
LIMIT_OF_ADMINS: Final = 10
"""The same for admins of the group: each account has allowances of its own where quotas are for each person."""
_LOWER_NAME: Final = func.lower(rows.User.user_name)


@dataclass(frozen=True, slots=True)
class Managed:
    """A service account that the caller may change."""

    row: rows.User
    could_give_all: bool
    """Whether the caller could give it all that it has."""

    def require_could_give_all(self) -> None:
        """Raises an error if the account has what the caller may not give, so that a key of it would have it, too.

        Raises:
            PermissionDeniedError: It has such a role or group.
        """
        if not self.could_give_all:
            raise PermissionDeniedError(
                f"{self.row.user_name} has a role or a group that you may not give, and its keys have it, too: ask "
                "somebody with the role superadmin, or take the role or group from it first.",
                required="superadmin",
            )


async def list_service_accounts(
    session: AsyncSession, principal: Principal, request: public.ListServiceAccountsRequest
) -> public.ListServiceAccountsResponse:
    """Returns a page of the service accounts that the caller may read and that match."""
    filters = (request.query, request.owner_group_id, request.state.word)
    page = read_page(request.page_size, request.page_token, tuple[str], "service_accounts", principal.user_id, *filters)
    user = rows.User
    query = _counted(principal).where(service_accounts("read", principal))
    if request.query:
        query = query.where(
            or_(*(text.icontains(request.query, autoescape=True) for text in (user.user_name, user.purpose)))
        )
    if request.owner_group_id:
        query = query.where(user.owner_group_id == request.owner_group_id)
    if request.state is not public.UserState.UNSPECIFIED:
        query = query.where(user.is_active == (request.state is public.UserState.ACTIVE))
    found, token = page.cut(
        (await session.execute(page.select(query, _LOWER_NAME))).all(), lambda row: (row[0].user_name.lower(),)
    )
    return public.ListServiceAccountsResponse(service_accounts=await _shown(session, found), next_page_token=token)


async def read_service_account(session: AsyncSession, principal: Principal, account_id: int) -> public.ServiceAccount:
    """Returns a service account that the caller may read.

    Raises:
        NotFoundError: There is none to the caller.
    """
    query = _counted(principal).where(rows.User.id == account_id, service_accounts("read", principal))
    found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
    if found is None:
        raise missing("service account", account_id)
    return (await _shown(session, [found]))[0]


async def managed_account(
    session: AsyncSession, principal: Principal, account_id: int, *, lock: bool = True
) -> Managed:
    """Returns a service account that the caller may change; it is locked, unless it is only to be read.

    Raises:
        NotFoundError: There is none to the caller.
        PermissionDeniedError: They may read it alone.
    """
    user = rows.User
    query = select(
        user,
        service_accounts("manage", principal).label("can_manage"),
        could_give_all(principal).label("could_give_all"),
    ).where(user.id == account_id, service_accounts("read", principal))
    if lock:
        query = query.with_for_update(of=user, key_share=True)
    found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
    if found is None:
        raise missing("service account", account_id)
    if not found.can_manage:
        raise PermissionDeniedError(
            "A service account is changed by the admins of the group that it belongs to, and by the role superadmin.",
            required="superadmin",
        )
    return Managed(found[0], found.could_give_all)


async def require_room(session: AsyncSession, principal: Principal, group: rows.Group) -> None:
    """Raises an error if the caller may add no further service account to a group, which is locked.

    Raises:
        ValidationFailedError: It has as many as the caller may give it.
    """
    count = await session.scalar(
        select(func.count()).select_from(rows.User).where(rows.User.owner_group_id == group.id)
    )
    limit, who, advice = LIMIT_OF_ADMINS, "its admins may give it", ", or ask somebody with the role superadmin"
    if principal.has_role("superadmin"):
        limit, who, advice = LIMIT, "a group may have", ""
    if (count or 0) >= limit:
        rule = f"{group.name} has {count} service accounts, and {who} at most {limit}: delete one first{advice}"
        raise ValidationFailedError(f"owner_group_id: {rule}", owner_group_id=rule)


async def require_can_give(
    session: AsyncSession, principal: Principal, *, roles: Collection[str], groups: Collection[str]
) -> None:
    """Raises an error if the caller may not give a role or a group to a service account.

    Args:
        session: The transaction.
        principal: The caller.
        roles: Roles that the account does not have yet.
        groups: Names of groups that it does not have yet.

    Raises:
        NotFoundError: There is no such group, or the caller may not change its members.
        PermissionDeniedError: A role that the caller may not give.
    """
    if set(roles) - {"user"} and not principal.has_role("superadmin"):
        raise PermissionDeniedError("The role admin is given by the role superadmin.", required="superadmin")
    if not groups:
        return
    known = select(rows.Group.name).where(rows.Group.name.in_(groups), groups_rule("manage", principal))
    found = set(await session.scalars(known))
    for name in sorted(groups):
        if name not in found:
            raise missing("group", name, "change its members")


def _counted(principal: Principal) -> Select[Any]:
    key, user, group = rows.ApiKey, rows.User, rows.Group
    own = key.user_id == user.id
    used = func.max(func.greatest(key.last_used_at, key.previous_used_at))
    working = select(func.count()).where(own, ~key.revoked, or_(key.expires_at.is_(None), key.expires_at > func.now()))
    return select(
        user,
        group.name.label("owner_group"),
        group.display_name.label("owner_group_display_name"),
        select(used).where(own).scalar_subquery().label("last_used_at"),
        working.scalar_subquery().label("key_count"),
        service_accounts("manage", principal).label("can_manage"),
        could_give_all(principal).label("could_give_all"),
    ).join(group, group.id == user.owner_group_id)


async def _shown(session: AsyncSession, found: Sequence[Any]) -> list[public.ServiceAccount]:
    creators = await names_of(session, {row[0].created_by for row in found})
    shown = [
        (
            row[0],
            mapper.to_model(
                row[0],
                owner_group=row.owner_group,
                owner_group_display_name=row.owner_group_display_name,
                last_used_at=row.last_used_at,
                key_count=row.key_count,
                can_manage=row.can_manage,
                can_create_keys=row.can_manage and row.could_give_all,
                created_by_name=creators.get(row[0].created_by, ""),
            ),
        )
        for row in found
    ]
    return await with_updaters(session, shown)
