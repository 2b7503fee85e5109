"""Names of people, and who last changed a row."""

from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.contract.model import ProtoModel
from echomind_lib.db.models import User
from echomind_lib.db.models.base import Audit

M = TypeVar("M", bound=ProtoModel)


def full_name() -> ColumnElement[str]:
    """Returns a user's first and last name, or else the user name."""
    full = func.nullif(func.btrim(func.concat_ws(" ", User.first_name, User.last_name)), "")
    return func.coalesce(full, User.user_name)


async def with_updaters(session: AsyncSession, shown: Iterable[tuple[Audit, M]]) -> list[M]:
    """Returns messages with the person who last changed their rows, for a caller who manages them.

    Args:
        session: A transaction.
        shown: Rows, and the messages that show them, which have `updated_by` and `updated_by_name`.
    """
    pairs = list(shown)
    ids = {row.user_id_last_update for row, _ in pairs if row.user_id_last_update is not None}
    names: dict[int, str] = {}
    if ids:
        people = await session.execute(select(User.id, full_name().label("name")).where(User.id.in_(ids)))
        names = {person.id: person.name for person in people}
    updaters = [(row.user_id_last_update or 0, message) for row, message in pairs]
    return [
        message.model_copy(update={"updated_by": user_id, "updated_by_name": names.get(user_id, "")})
        for user_id, message in updaters
    ]


async def with_updater(session: AsyncSession, row: Audit, message: M) -> M:
    """Returns a message with the person who last changed its row; see `with_updaters`."""
    return (await with_updaters(session, [(row, message)]))[0]
