"""Filtered, sorted and paged lists of accounts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, any_, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.people import with_updaters
from echomind_lib.access.principal import roles_including
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.mappers import users
from echomind_lib.models.public import AccountKind, ListUsersRequest, ListUsersResponse, Role, UserOrder, UserState

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The sort key of accounts that have never signed in."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A sort order of accounts, before their ID."""

    column: Any
    key: Any
    """Type of the sort key: the value of `column`, and the id."""
    value: Callable[[rows.User], object]
    """Returns the value of `column` of a row."""


_ORDERS: Final = {
    UserOrder.UNSPECIFIED: _Order(literal(0), tuple[int, int], lambda _: 0),
    UserOrder.USER_NAME: _Order(func.lower(rows.User.user_name), tuple[str, int], lambda row: row.user_name.lower()),
    UserOrder.EMAIL: _Order(
        func.lower(func.coalesce(rows.User.email, "")), tuple[str, int], lambda row: (row.email or "").lower()
    ),
    UserOrder.LAST_LOGIN: _Order(
        func.coalesce(rows.User.last_login, _NEVER), tuple[datetime, int], lambda row: row.last_login or _NEVER
    ),
}


async def list_users(session: AsyncSession, request: ListUsersRequest) -> ListUsersResponse:
    """Returns a page of the matching accounts."""
    order = _ORDERS[request.order]
    filters = (request.query, request.role.word, request.group, request.state.word, request.kind.word)
    sorting = (request.order.word, request.descending)
    page = read_page(request.page_size, request.page_token, order.key, "users", *filters, *sorting)
    matching = select(rows.User).where(*_conditions(request))
    query = page.select(matching, order.column, rows.User.id, descending=request.descending)
    found = (await session.scalars(query)).all()
    total = await session.scalar(select(func.count()).select_from(matching.subquery()))
    kept, token = page.cut(found, lambda row: (order.value(row), row.id))
    shown = await with_updaters(session, [(row, users.to_model(row)) for row in kept])
    return ListUsersResponse(users=shown, next_page_token=token, total_size=total or 0)


def _conditions(request: ListUsersRequest) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if request.query:
        full_name = func.concat_ws(" ", rows.User.first_name, rows.User.last_name)
        texts = (rows.User.user_name, rows.User.email, full_name)
        conditions.append(or_(*(text.icontains(request.query, autoescape=True) for text in texts)))
    if request.role is not Role.UNSPECIFIED:
        words = roles_including(request.role.word)  # type: ignore[arg-type]  # the role's own word
        conditions.append(or_(*(any_(rows.User.roles) == word for word in words)))
    if request.group:
        conditions.append(any_(rows.User.groups) == request.group)
    if request.state is not UserState.UNSPECIFIED:
        conditions.append(rows.User.is_active == (request.state is UserState.ACTIVE))
    if request.kind is not AccountKind.UNSPECIFIED:
        conditions.append(rows.User.kind == request.kind.word)
    return conditions
