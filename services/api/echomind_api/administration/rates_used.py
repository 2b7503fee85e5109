"""What is used of the limits of what people and keys may do at a time."""

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.rates import rates_from
from echomind_lib.access.principal import Rates
from echomind_lib.db import models as rows
from echomind_lib.models import public
from echomind_lib.runs.unfinished import count_unfinished

_ORDER: Final = ("user", "organization", "group", "key")
_MINUTE: Final = func.date_trunc("minute", func.now())


async def rates_used(session: AsyncSession, user_id: int, api_key_id: int | None) -> list[public.QuotaUsage]:
    """Returns the limits of what a person who uses a key may do at a time, with what is done at the moment.

    Args:
        session: The transaction.
        user_id: ID of the person.
        api_key_id: ID of the key; None for none.
    """
    of_person = func.limits_of_person(user_id, type_=JSONB)
    of_keys = func.limits_of_key(cast(api_key_id, Integer), type_=JSONB)
    limits = rates_from(*(await session.execute(select(of_person, of_keys))).one())
    if not limits:
        return []
    subjects = [each.subject for each in limits]
    count, lease = rows.RequestCount, rows.StreamLease
    requests = select(count.subject, count.requests).where(count.subject.in_(subjects), count.minute >= _MINUTE)
    streams = (
        select(lease.subject, func.sum(lease.streams))
        .where(lease.subject.in_(subjects), lease.expires_at > func.now())
        .group_by(lease.subject)
    )
    requested = {row[0]: row[1] for row in await session.execute(requests)}
    streaming = {row[0]: row[1] for row in await session.execute(streams)}
    renews_at = await session.scalar(select(_MINUTE + timedelta(minutes=1)))
    found = []
    for each in sorted(limits, key=lambda each: (_ORDER.index(each.kind), each.id)):
        runs = await session.scalar(count_unfinished(each)) if each.runs is not None else None
        found.append(
            public.QuotaUsage(
                **await _named(session, each),
                period=public.QuotaPeriod.MINUTE,
                max_requests_per_minute=each.requests_per_minute or 0,
                max_concurrent_runs=each.runs or 0,
                max_concurrent_streams=each.streams or 0,
                requests=requested.get(each.subject, 0) if each.requests_per_minute is not None else 0,
                concurrent_runs=runs or 0,
                concurrent_streams=streaming.get(each.subject, 0) if each.streams is not None else 0,
                renews_at=renews_at,
            )
        )
    return found


async def _named(session: AsyncSession, limit: Rates) -> dict[str, Any]:
    """Returns the fields of whom a limit binds."""
    if limit.kind == "group":
        group = await session.get_one(rows.Group, limit.id)
        return {
            "scope": public.QuotaScope.GROUP,
            "group_id": group.id,
            "group_name": group.display_name or group.name,
        }
    if limit.kind == "key":
        key = await session.get_one(rows.ApiKey, limit.id)
        return {"scope": public.QuotaScope.KEY, "api_key_id": key.id, "api_key_name": key.name}
    return {"scope": public.QuotaScope.USER if limit.kind == "user" else public.QuotaScope.ORGANIZATION}
