"""Quotas."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Quota


def to_model(row: rows.Quota, *, group_name: str | None, user_name: str | None) -> Quota:
    """Returns the quota of a row, with the names of its group and its person."""
    return Quota.from_row(row, group_name=group_name or "", user_name=user_name or "")


def to_columns(quota: Quota, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given limits; 0, which means no limit, is NULL.

    Raises:
        ValidationFailedError: Another field is given.
    """
    limits = {
        "max_questions": quota.max_questions or None,
        "max_tokens": quota.max_tokens or None,
        "max_cost": quota.max_cost or None,
        "max_requests_per_minute": quota.max_requests_per_minute or None,
        "max_concurrent_runs": quota.max_concurrent_runs or None,
        "max_concurrent_streams": quota.max_concurrent_streams or None,
    }
    return pick(Quota, limits, fields)
