"""Limits of the unfinished questions of API keys.

A key counts together with the keys that were made with it. Its row is locked while a question is stored, so that the
limit holds with any number of processes; keys without a limit lock nothing.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Integer, bindparam, func, select
from sqlalchemy.orm import aliased

from echomind_lib.access.principal import KeyRates
from echomind_lib.db.models.api_keys import ApiKey
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES
from echomind_lib.errors import OverloadedError

_RETRY_SECONDS: Final = 5
_key_id = bindparam("key_id", type_=Integer)
_LOCK: Final = Command(select(ApiKey.id).where(ApiKey.id == _key_id).with_for_update(key_share=True))


def _count() -> Query[int]:
    """Returns the statement of the number of unfinished root runs of a key, and of those made with it."""
    keys = select(ApiKey.id).where(ApiKey.id == _key_id).cte("keys", recursive=True)
    made = aliased(ApiKey, name="made")
    keys = keys.union_all(select(made.id).join(keys, made.parent_id == keys.c.id))
    return Query(
        select(func.count()).where(
            Run.user_id == bindparam("user_id", type_=Integer),
            Run.status.in_(ACTIVE_RUN_STATUSES),
            Run.parent_run_id.is_(None),
            Run.api_key_id.in_(select(keys.c.id)),
        ),
        int,
    )


_COUNT: Final = Query.deferred(_count)


async def require_free_runs(transaction: Connection, user_id: int, rates: Sequence[KeyRates]) -> None:
    """Returns if an API key may ask another question, which the transaction then stores.

    Args:
        transaction: The transaction, which holds the keys until its end.
        user_id: The owner of the keys.
        rates: Maxima of the key and of those that it was made with, in the order of their ids.

    Raises:
        OverloadedError: One of them has as many unfinished questions as it may have.
    """
    for each in rates:
        if each.runs is None:
            continue
        await _LOCK.execute(transaction, key_id=each.api_key_id)
        if (await _COUNT.fetch_one(transaction, key_id=each.api_key_id, user_id=user_id) or 0) >= each.runs:
            raise OverloadedError(
                f"The API key has {each.runs} unfinished questions, which is its limit: wait until one is answered.",
                retry_after_seconds=_RETRY_SECONDS,
            )
