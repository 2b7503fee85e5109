"""Names of people, and who last changed a row."""

from collections.abc import Collection, Iterable
from typing import TypeVar

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.contract.model import ProtoModel
from echomind_lib.db.models import User
from echomind_lib.db.models.base import Audit
from echomind_lib.errors import ValidationFailedError

M = TypeVar("M", bound=ProtoModel)


def full_name() -> ColumnElement[str]:
    """Returns a user's first and last name, or else the user name."""
    full = func.nullif(func.btrim(func.concat_ws(" ", User.first_name, User.last_name)), "")
    return func.coalesce(full, User.user_name)


async def names_of(session: AsyncSession, ids: Collection[int | None]) -> dict[int, str]:
    """Returns the names of accounts, by id: first and last name, or else the user name."""
    known = [user_id for user_id in ids if user_id is not None]
    if not known:
        return {}
    people = await session.execute(select(User.id, full_name().label("name")).where(User.id.in_(known)))
    return {person.id: person.name for person in people}


async def require_person(session: AsyncSession, user_id: int, *, field: str = "id") -> None:
    """Raises an error if an account is a program's, which has no sign-in and is changed elsewhere.

    Raises:
        ValidationFailedError: It is a service account.
    """
    if await session.scalar(select(User.kind).where(User.id == user_id)) == "service":
        rule = "is a service account, which works with its API keys alone and is changed by ServiceAccountService"
        raise ValidationFailedError(f"{field}: {user_id} {rule}", **{field: rule})


async def with_updaters(session: AsyncSession, shown: Iterable[tuple[Audit, M]]) -> list[M]:
    """Returns messages with the person who last changed their rows, for a caller who manages them.

    Args:
        session: A transaction.
        shown: Rows, and the messages that show them, which have `updated_by` and `updated_by_name`.
    """
    pairs = list(shown)
    names = await names_of(session, {row.user_id_last_update for row, _ in pairs})
    updaters = [(row.user_id_last_update or 0, message) for row, message in pairs]
    return [
        message.model_copy(update={"updated_by": user_id, "updated_by_name": names.get(user_id, "")})
        for user_id, message in updaters
    ]


async def with_updater(session: AsyncSession, row: Audit, message: M) -> M:
    """Returns a message with the person who last changed its row; see `with_updaters`."""
    return (await with_updaters(session, [(row, message)]))[0]
