"""Charging of runs to quotas.

Before each model call the run's worker reserves what the call may use at most, and charges what the run has spent since
the last time; when the run ends or waits, the rest is charged and nothing stays reserved. All of this is the function
`charge_quotas` of the database, one statement each. A run is charged to the days and months in which it began. Without
quotas nothing is executed.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Double,
    Integer,
    Numeric,
    Text,
    and_,
    bindparam,
    cast,
    column,
    func,
    or_,
    select,
)

from echomind_lib.db.models.quotas import QuotaCharge, QuotaUsage
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import UsagePeriod
from echomind_lib.quotas.periods import renewal
from echomind_lib.runs.fence import RunLease

_EACH: Final = {"day": "daily", "month": "monthly"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A limit that refuses a model call, or is used to four fifths for the first time."""

    group_id: int | None
    user_id: int | None
    api_key_id: int | None
    period: UsagePeriod
    begins_at: datetime
    measure: str
    """`questions`, `tokens` or `cost`."""
    used: float
    maximum: float
    is_exceeded: bool

    @property
    def renews_at(self) -> datetime:
        """Returns when the day or month ends, in UTC."""
        return renewal(self.period, self.begins_at)

    def __str__(self) -> str:
        """Returns what is used, of which limit, and when it renews."""
        if self.api_key_id:
            whose = "The API key's"
        else:
            whose = "Your" if self.user_id else "Your group's" if self.group_id else "The organization's"
        if self.measure == "cost":
            amount = f"US${self.used:.2f} of US${self.maximum:.2f}"
        else:
            amount = f"{self.used:,.0f} of {self.maximum:,.0f} {self.measure}"
        state = "is used up" if self.used >= self.maximum else "is nearly used up"
        if self.is_exceeded:
            state = "does not allow another request to the model"
        again = f"{self.renews_at:%Y-%m-%d %H:%M} UTC"
        return f"{whose} {_EACH[self.period]} quota {state}: {amount} are used. It renews at {again}."


_CHARGED = func.charge_quotas(
    bindparam("run_id"),
    bindparam("attempt", type_=Integer),
    bindparam("tokens", type_=BigInteger),
    cast(bindparam("cost", type_=Double), Numeric),
).table_valued(
    column("group_id", Integer),
    column("user_id", Integer),
    column("period", Text),
    column("begins_at", DateTime(timezone=True)),
    column("measure", Text),
    column("used", Numeric),
    column("maximum", Numeric),
    column("is_exceeded", Boolean),
    column("api_key_id", Integer),
    name="charged",
)
_CHARGE: Final = Query(
    select(*columns(Reached, _CHARGED, used=cast(_CHARGED.c.used, Double), maximum=cast(_CHARGED.c.maximum, Double))),
    Reached,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stale:
    run_id: UUID
    attempt: int


_STALE: Final = Query(
    select(QuotaCharge.run_id, Run.attempt)
    .join(Run, Run.id == QuotaCharge.run_id)
    .where(QuotaCharge.reserved_tokens > 0, Run.status != "running"),
    _Stale,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Period:
    period: UsagePeriod
    begins_at: datetime


_LIMITS = func.quotas_of(bindparam("user_id", type_=Integer), bindparam("api_key_id", type_=Integer)).table_valued(
    column("group_id", Integer),
    column("user_id", Integer),
    column("period", Text),
    column("max_tokens", BigInteger),
    column("max_cost", Numeric),
    column("api_key_id", Integer),
    name="limits",
)
_USED_UP: Final = Query(
    select(QuotaUsage.period, QuotaUsage.begins_at)
    .join(
        _LIMITS,
        and_(
            QuotaUsage.user_id.is_not_distinct_from(_LIMITS.c.user_id),
            QuotaUsage.group_id.is_not_distinct_from(_LIMITS.c.group_id),
            QuotaUsage.api_key_id.is_not_distinct_from(_LIMITS.c.api_key_id),
            QuotaUsage.period == _LIMITS.c.period,
        ),
    )
    .where(
        QuotaUsage.begins_at == func.date_trunc(_LIMITS.c.period, func.now(), "UTC"),
        or_(
            QuotaUsage.tokens + QuotaUsage.reserved_tokens >= _LIMITS.c.max_tokens,
            QuotaUsage.cost + QuotaUsage.reserved_cost >= _LIMITS.c.max_cost,
        ),
    ),
    _Period,
)
_CHARGE_PERSON: Final = Query(
    select(
        func.charge_person(
            bindparam("user_id", type_=Integer),
            bindparam("tokens", type_=BigInteger),
            cast(bindparam("cost", type_=Double), Numeric),
            bindparam("api_key_id", type_=Integer),
        )
    ),
    bool,
)


async def reserve(pool: asyncpg.Pool, lease: RunLease, tokens: int, cost: float) -> list[Reached]:
    """Charges what a run has spent, and reserves what its next model call may use.

    Args:
        pool: The database.
        lease: The run.
        tokens: Maximum tokens of prompt and answer, at least 1.
        cost: Their cost in US dollars; 0 if the price is not known.

    Returns:
        The limits that refuse the call, so that nothing is reserved; or those that are now used to four fifths.
    """
    reached = await _charge(pool, lease.run_id, lease.attempt, tokens, cost)
    if any(each.is_exceeded for each in reached):
        # A worker that died at the end of a run has left its reservation.
        stale = await _STALE.fetch_all(pool)
        for each in stale:
            await _charge(pool, each.run_id, each.attempt, 0, 0)
        if stale:
            reached = await _charge(pool, lease.run_id, lease.attempt, tokens, cost)
    return reached


async def settle(pool: asyncpg.Pool, lease: RunLease) -> None:
    """Charges what a run has spent, and releases what it has reserved; without effect under a newer lease."""
    await _charge(pool, lease.run_id, lease.attempt, 0, 0)


async def charge_person(
    pool: asyncpg.Pool, user_id: int, tokens: int, cost: float, *, api_key_id: int | None = None
) -> bool:
    """Charges a person and a key for a model call outside of a run, and returns whether a quota was used up before.

    Args:
        pool: The database.
        user_id: ID of the person.
        tokens: Tokens of prompt and answer; 0 asks alone.
        cost: US dollars; 0 if unknown.
        api_key_id: ID of the API key that asked for it; None for none.
    """
    values = {"user_id": user_id, "tokens": tokens, "cost": cost, "api_key_id": api_key_id}
    return bool(await _CHARGE_PERSON.fetch_one(pool, **values))


async def renewal_of(pool: asyncpg.Pool, user_id: int, api_key_id: int | None = None) -> datetime:
    """Returns when the last of a person's and their key's quotas renews that are used up, in UTC.

    Without any that is used up, it is when the day ends.
    """
    used_up = await _USED_UP.fetch_all(pool, user_id=user_id, api_key_id=api_key_id)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return max((renewal(each.period, each.begins_at) for each in used_up), default=renewal("day", today))


async def _charge(pool: asyncpg.Pool, run_id: UUID, attempt: int, tokens: int, cost: float) -> list[Reached]:
    return await _CHARGE.fetch_all(pool, run_id=run_id, attempt=attempt, tokens=tokens, cost=cost)
