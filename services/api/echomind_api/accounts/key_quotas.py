"""Quotas of API keys: set, shown with the keys, and deleted when the keys have ended."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy import and_, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db import models as rows
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.words import ACTIVE_RUN_STATUSES
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models import public
from echomind_lib.quotas.periods import renewal

_SWEEP_SECONDS: Final = 3600.0
_LIMITS: Final = ("max_questions", "max_tokens", "max_cost")

log = structlog.get_logger(__name__)


async def set_quotas(
    session: AsyncSession, key_id: int, quotas: Sequence[public.ApiKeyQuota], *, by: int
) -> dict[str, dict[str, float]]:
    """Replaces the quotas of a key, and returns their limits by period. What was used stays.

    Args:
        session: The transaction, which has locked the key.
        key_id: The key.
        quotas: What it gets.
        by: The account that does it.

    Raises:
        ValidationFailedError: There are two for the same period, or one has no limit.
    """
    given = {quota.period.word: quota for quota in quotas}
    if "minute" in given:
        raise _invalid("those of a minute are max_requests_per_minute, max_concurrent_runs and max_concurrent_streams")
    if len(given) < len(quotas):
        raise _invalid("give at most one for each day and one for each month")
    limits = {period: {name: getattr(quota, name) or None for name in _LIMITS} for period, quota in given.items()}
    if not all(any(each.values()) for each in limits.values()):
        raise _invalid("each needs max_questions, max_tokens or max_cost: leave out a quota to remove it")
    row = rows.Quota
    found = await session.scalars(select(row).where(row.api_key_id == key_id))
    stored: dict[str, rows.Quota] = {quota.period: quota for quota in found}
    for period, quota in stored.items():
        if period not in limits:
            await session.delete(quota)
    for period, values in limits.items():
        quota = stored.get(period) or row(scope="key", api_key_id=key_id, period=period)
        for name, value in values.items():
            setattr(quota, name, value)
        quota.user_id_last_update = by
        session.add(quota)
    return {period: {name: value for name, value in each.items() if value} for period, each in limits.items()}


async def with_quotas(session: AsyncSession, keys: Sequence[public.ApiKey]) -> list[public.ApiKey]:
    """Returns keys with their quotas and what is used of them in the current day and month."""
    quota, usage = rows.Quota, rows.QuotaUsage
    begins_at = func.date_trunc(quota.period, func.now(), "UTC")
    current = and_(
        usage.api_key_id == quota.api_key_id,
        usage.user_id.is_(None),
        usage.group_id.is_(None),
        usage.period == quota.period,
        usage.begins_at == begins_at,
    )
    found = await session.execute(
        select(quota, usage, begins_at.label("begins_at"))
        .outerjoin(usage, current)
        .where(quota.api_key_id.in_([key.id for key in keys]))
        .order_by(quota.period)
    )
    of_keys: dict[int | None, list[public.ApiKeyQuota]] = {}
    for row, used, begin in found:
        shown = public.ApiKeyQuota(
            period=public.QuotaPeriod.from_word(row.period),
            max_questions=row.max_questions or 0,
            max_tokens=row.max_tokens or 0,
            max_cost=float(row.max_cost or 0),
            renews_at=renewal(row.period, begin),
        )
        if used is not None:
            shown.questions, shown.tokens, shown.cost = used.questions, used.tokens, float(used.cost)
            shown.reserved_tokens, shown.reserved_cost = used.reserved_tokens, float(used.reserved_cost)
        of_keys.setdefault(row.api_key_id, []).append(shown)
    return [key.model_copy(update={"quotas": of_keys.get(key.id, [])}) for key in keys]


async def delete_ended_quotas(database: Database) -> None:
    """Deletes, once an hour, the quotas of keys that were revoked or have expired, until it is cancelled.

    Those of a key stay until the last question that counts for it has been answered, and its last evaluation has ended.
    """
    while True:
        try:
            await delete_once(database)
        except DATABASE_FAILURES as error:
            log.warning("quotas of ended API keys were not deleted", error=repr(error))
        await asyncio.sleep(_SWEEP_SECONDS)


async def delete_once(database: Database) -> None:
    """Deletes the quotas of keys that have ended now, and what was used of them."""
    key, run, evaluation = rows.ApiKey, rows.Run, rows.EvaluationRun
    # A question counts for the key that asked it, and for all that this one was made with, which may have ended first.
    asked = select(run.api_key_id).where(run.status.in_(ACTIVE_RUN_STATUSES), run.api_key_id.is_not(None))
    evaluated = select(evaluation.api_key_id).where(evaluation.status == "running")
    is_asking = or_(key.id.in_(asked), key.id.in_(evaluated))
    used = select(key.id, key.parent_id).where(is_asking).cte("used", recursive=True)
    used = used.union(select(key.id, key.parent_id).join(used, key.id == used.c.parent_id))
    limited = select(rows.Quota.api_key_id).where(rows.Quota.api_key_id == key.id)
    counted = select(rows.QuotaUsage.api_key_id).where(rows.QuotaUsage.api_key_id == key.id)
    ended = select(key.id).where(
        key.id.not_in(select(used.c.id)),
        or_(key.revoked, key.expires_at < func.now()),
        or_(limited.exists(), counted.exists()),
    )
    async with database.session() as session:
        ids = (await session.scalars(ended)).all()
        if not ids:
            return
        for table in (rows.Quota, rows.QuotaUsage):
            await session.execute(delete(table).where(table.api_key_id.in_(ids)))


def _invalid(rule: str) -> ValidationFailedError:
    return ValidationFailedError.of("quotas", rule)
