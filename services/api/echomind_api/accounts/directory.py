"""Finding people and groups to share with."""

from typing import Any, Final, Literal

from sqlalchemy import Select, SQLColumnExpression, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_lib.access import Principal
from echomind_lib.access.directory import finds_by_part_of_name, groups_to_share_with
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models import public

_LIMIT: Final = 20
_FULL_NAME: Final = func.concat_ws(" ", rows.User.first_name, rows.User.last_name)
"""First and last name; empty without both."""


class Directory(public.DirectoryService):
    """The service `DirectoryService`."""

    def __init__(self, database: Database, scope: Literal["everyone", "groups"]) -> None:
        self._database = database
        self._finds_everyone = scope == "everyone"

    @override
    async def search_directory(
        self, request: public.SearchDirectoryRequest, call: CallContext
    ) -> public.SearchDirectoryResponse:
        text = " ".join(request.query.split())
        if not text:
            raise ValidationFailedError("query: must contain a character other than a space", query="is empty")
        people = self._people(call.principal, text)
        groups = _groups(call.principal, text)
        async with self._database.session() as session:
            found = (await session.execute(people)).all()
            found_groups = await _read_groups(session, groups)
        return public.SearchDirectoryResponse(
            people=[_person(row, call.principal, text) for row in found[:_LIMIT]],
            groups=found_groups[:_LIMIT],
            is_truncated=len(found) > _LIMIT or len(found_groups) > _LIMIT,
        )

    def _people(self, principal: Principal, text: str) -> Select[rows.User, str]:
        user, name = rows.User, text.lower()
        parts: list[SQLColumnExpression[str]] = [user.user_name, _FULL_NAME]
        if principal.has_role("admin"):
            parts.append(func.coalesce(user.email, ""))
        has_part = or_(*(part.icontains(text, autoescape=True) for part in parts))
        may_find = finds_by_part_of_name(principal, everyone=self._finds_everyone)
        is_named = or_(func.lower(user.user_name) == name, func.coalesce(func.lower(user.email) == name, False))
        begins = or_(*(part.istartswith(text, autoescape=True) for part in parts))
        return (
            select(user, _FULL_NAME.label("full_name"))
            .where(
                user.is_active,
                user.kind == "person",
                user.id != principal.user_id,
                or_(is_named, and_(may_find, has_part)),
            )
            .order_by(is_named.desc(), begins.desc(), func.lower(user.user_name))
            .limit(_LIMIT + 1)
        )


def _groups(principal: Principal, text: str) -> Select[rows.Group, int]:
    rule, group = groups_to_share_with(), rows.Group
    parts = (group.name, group.display_name)
    members = (
        select(func.count(rows.GroupMember.user_id.distinct()))
        .join(rows.User, and_(rows.User.id == rows.GroupMember.user_id, rows.User.is_active))
        .where(rows.GroupMember.group_id == group.id)
        .scalar_subquery()
    )
    return (
        select(group, members.label("members"))
        .where(or_(*(part.icontains(text, autoescape=True) for part in parts)), rule.where(group))
        .order_by(or_(*(part.istartswith(text, autoescape=True) for part in parts)).desc())
        .order_by(func.lower(func.coalesce(func.nullif(group.display_name, ""), group.name)), group.id)
        .limit(_LIMIT + 1)
        .params(rule.values(principal))
    )


async def _read_groups(session: AsyncSession, query: Select[rows.Group, int]) -> list[public.DirectoryGroup]:
    return [
        public.DirectoryGroup(
            group_id=row[0].id, name=row[0].name, member_count=row.members, display_name=row[0].display_name
        )
        for row in await session.execute(query)
    ]


def _person(found: Any, principal: Principal, text: str) -> public.DirectoryPerson:
    user = found[0]
    shows_email = principal.has_role("admin") or (user.email or "").lower() == text.lower()
    return public.DirectoryPerson(
        user_id=user.id,
        user_name=user.user_name,
        name=found.full_name,
        email=user.email or "" if shows_email else "",
    )
