"""Reports of erased people."""

from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.models.public import Erasure, ErasureItem, ErasureRule, ErasureState


def to_model(
    row: rows.Erasure, erased_by_name: str = "", *, sessions_left: int = 0, is_running: bool = False
) -> Erasure:
    """Returns the report of a row.

    Args:
        row: The row.
        erased_by_name: The name of the superadmin; empty if the account was deleted.
        sessions_left: Number of conversations that are not deleted yet.
        is_running: Whether a process deletes at the moment.
    """
    return Erasure(
        id=row.id,
        user_id=row.erased_user_id,
        creation_date=row.creation_date,
        completed_at=row.completed_at,
        state=_state(row, is_running=is_running),
        sessions_left=sessions_left,
        status_message=row.error or "",
        erased_by_name=erased_by_name,
        items=[
            ErasureItem(
                store=item["store"],
                rule=ErasureRule.from_word(item["rule"]),
                count=item["count"],
                reason=item["reason"],
            )
            for item in row.items
        ],
    )


def _state(row: rows.Erasure, *, is_running: bool) -> ErasureState:
    if row.completed_at is not None:
        return ErasureState.COMPLETED
    if row.attempted_at is None:
        return ErasureState.CANCELLED
    return ErasureState.RUNNING if is_running else ErasureState.WAITING


def to_json(item: ErasureItem) -> dict[str, Any]:
    """Returns an item as it is stored."""
    return {"store": item.store, "rule": item.rule.word, "count": item.count, "reason": item.reason}
