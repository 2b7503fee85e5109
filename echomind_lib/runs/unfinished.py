"""Limits of unfinished questions: of a person, a group, everybody, or an API key with the keys that were made with it.

Those that are paused or wait for a person's answer count for none. The subject of a limit is locked while a question is
stored, so that the limit holds with any number of processes. For whoever has no limit, nothing is locked and counted.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Integer, Select, Text, bindparam, cast, func, literal, select, true
from sqlalchemy.orm import aliased

from echomind_lib.access.principal import Rates
from echomind_lib.db.models.api_keys import ApiKey
from echomind_lib.db.models.identity import GroupMember
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import OverloadedError

_RETRY_SECONDS: Final = 5
_COUNTED: Final[tuple[RunStatus, ...]] = ("queued", "running", "waiting_for_children")
"""Not those that wait for a person, perhaps for ever: one who leaves approvals open would keep out everybody."""
_LOCK: Final = Command(
    select(func.pg_advisory_xact_lock(func.hashtextextended(func.concat("runs:", cast(bindparam("subject"), Text)), 0)))
)
_Id = ColumnElement[int]


def _of_key(key_id: _Id) -> ColumnElement[bool]:
    keys = select(ApiKey.id).where(ApiKey.id == key_id).cte("keys", recursive=True)
    made = aliased(ApiKey, name="made")
    keys = keys.union_all(select(made.id).join(keys, made.parent_id == keys.c.id))
    # Its owner's runs alone are read.
    owner = select(ApiKey.user_id).where(ApiKey.id == key_id).scalar_subquery()
    return (Run.user_id == owner) & Run.api_key_id.in_(select(keys.c.id))


_SUBJECTS: Final[dict[str, Callable[[_Id], ColumnElement[bool]]]] = {
    "key": _of_key,
    "user": lambda user_id: Run.user_id == user_id,
    "group": lambda group_id: Run.user_id.in_(select(GroupMember.user_id).where(GroupMember.group_id == group_id)),
    "organization": lambda _: true(),
}


def _counted(kind: str, subject_id: _Id) -> Select[int]:
    return select(func.count()).where(
        Run.status.in_(_COUNTED), Run.parent_run_id.is_(None), _SUBJECTS[kind](subject_id)
    )


def _count(kind: str) -> Query[int]:
    return Query.deferred(lambda: Query(_counted(kind, bindparam("id", type_=Integer)), int))


_COUNTS: Final = {kind: _count(kind) for kind in _SUBJECTS}


def count_unfinished(limit: Rates) -> Select[int]:
    """Returns the statement of the number of unfinished questions that count for a limit."""
    return _counted(limit.kind, literal(limit.id, Integer))


async def require_free_runs(transaction: Connection, rates: Sequence[Rates]) -> None:
    """Returns if another question may be asked, which the transaction then stores.

    Args:
        transaction: The transaction, which holds the limits until its end.
        rates: What the asker may do at a time, in the order of their subjects.

    Raises:
        OverloadedError: One of them has as many unfinished questions as it may have.
    """
    for each in rates:
        if each.runs is None:
            continue
        await _LOCK.execute(transaction, subject=each.subject)
        ids = {} if each.kind == "organization" else {"id": each.id}
        if (await _COUNTS[each.kind].fetch_one(transaction, **ids) or 0) >= each.runs:
            raise OverloadedError(
                f"{each} limit of {each.runs} unfinished questions at a time is reached: wait until one is answered.",
                retry_after_seconds=_RETRY_SECONDS,
            )
