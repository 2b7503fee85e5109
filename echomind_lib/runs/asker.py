"""The user that a run is for, with their current rights."""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import bindparam, select

from echomind_lib.access import Principal
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The account of the user on whose behalf work is done."""

    roles: list[str]
    groups: list[str]
    is_active: bool


ASKER_COLUMNS: Final = select(User.roles, User.groups, User.is_active).where(User.id == bindparam("user_id"))
"""The statement that selects an `Asker`; columns may be added."""
_ASKER: Final = Query(ASKER_COLUMNS, Asker)


async def read_asker(pool: asyncpg.Pool, user_id: int) -> Asker | None:
    """Returns the account of a person; None if it does not exist."""
    return await _ASKER.fetch_one(pool, user_id=user_id)


def principal_of(user_id: int, asker: Asker | None) -> Principal:
    """Returns a person with their current rights.

    Raises:
        PermissionDeniedError: The account is deactivated or removed.
    """
    if asker is None or not asker.is_active:
        raise PermissionDeniedError("The account that asked is not active any more.", required="user")
    return Principal(user_id, frozenset(asker.roles), frozenset(asker.groups))


async def read_principal(pool: asyncpg.Pool, user_id: int) -> Principal:
    """Reads a person with their current rights; raises the errors of `principal_of`."""
    return principal_of(user_id, await read_asker(pool, user_id))
