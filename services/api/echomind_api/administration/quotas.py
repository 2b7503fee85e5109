"""Quotas: superadmins set them, and everyone reads what binds them."""

from typing import Any, Final

from sqlalchemy import BigInteger, Float, Integer, Numeric, Select, String, and_, cast, column, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.administration.rates_used import rates_used
from echomind_api.auth.credentials import hold
from echomind_api.people import with_updaters
from echomind_api.rows import audit, missing, unique
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import quotas as mapper
from echomind_lib.models import public
from echomind_lib.quotas.periods import renewal

_AMOUNTS: Final = ("max_questions", "max_tokens", "max_cost")
_RATES: Final = ("max_requests_per_minute", "max_concurrent_runs", "max_concurrent_streams")
_LIMITS: Final = (*_AMOUNTS, *_RATES)
_UNIQUE: Final = {"idx_quotas_subject": "period"}


class Quotas(public.QuotaService):
    """The service `QuotaService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_quotas(self, request: public.ListQuotasRequest, call: CallContext) -> public.ListQuotasResponse:
        require_role(call.principal, "admin")
        page = read_page(request.page_size, request.page_token, tuple[int], "quotas")
        async with self._database.session() as session:
            query = page.select(_named(), rows.Quota.id)
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
            quotas = await with_updaters(session, [(row[0], _model(row)) for row in found])
        return public.ListQuotasResponse(quotas=quotas, next_page_token=token)

    @override
    async def get_quota(self, request: public.GetQuotaRequest, call: CallContext) -> public.Quota:
        require_role(call.principal, "admin")
        async with self._database.session() as session:
            return await _read(session, request.id)

    @override
    async def create_quota(self, request: public.CreateQuotaRequest, call: CallContext) -> public.Quota:
        require_role(call.principal, "superadmin")
        given = request.quota
        _check_subject(given)
        row = rows.Quota(
            scope=given.scope.word,
            group_id=given.group_id or None,
            user_id=given.user_id or None,
            period=given.period.word,
            **mapper.to_columns(given, _LIMITS),
        )
        _require_limit(row)
        async with self._database.session() as session:
            await hold(session, call.principal)
            for name, table, subject in (("group", rows.Group, row.group_id), ("user", rows.User, row.user_id)):
                if subject is not None and await session.get(table, subject) is None:
                    raise missing(name, subject)
            session.add(row)
            with unique("quota for these people", _UNIQUE):
                await session.flush()
            audit(session, call, f"quotas/{row.id}", **_detail(row))
            await session.flush()
            return await _read(session, row.id)

    @override
    async def update_quota(self, request: public.UpdateQuotaRequest, call: CallContext) -> public.Quota:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await _locked(session, request.id)
            for name, value in mapper.to_columns(request.quota, request.update_mask).items():
                setattr(row, name, value)
            _require_limit(row)
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"quotas/{row.id}", **_detail(row))
            await session.flush()
            return await _read(session, row.id)

    @override
    async def delete_quota(self, request: public.DeleteQuotaRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await _locked(session, request.id)
            audit(session, call, f"quotas/{row.id}", **_detail(row))
            await session.execute(delete(rows.Quota).where(rows.Quota.id == row.id))
        return Empty()

    @override
    async def list_quota_usage(
        self, request: public.ListQuotaUsageRequest, call: CallContext
    ) -> public.ListQuotaUsageResponse:
        user_id = request.user_id or call.principal.user_id
        if user_id != call.principal.user_id:
            require_role(call.principal, "admin")
        async with self._database.session() as session:
            if await session.get(rows.User, user_id) is None:
                raise missing("user", user_id)
            key_id = call.principal.api_key_id if user_id == call.principal.user_id else None
            found = (await session.execute(_usage(user_id, key_id))).all()
            at_a_time = await rates_used(session, user_id, key_id)
        return public.ListQuotaUsageResponse(usage=[*(_usage_of(row) for row in found), *at_a_time])


def _named() -> Select[Any, Any, Any]:
    return (
        select(rows.Quota, rows.Group.name.label("group_name"), rows.User.user_name.label("user_name"))
        .outerjoin(rows.Group, rows.Group.id == rows.Quota.group_id)
        .outerjoin(rows.User, rows.User.id == rows.Quota.user_id)
        .where(rows.Quota.scope != "key")
    )


def _model(found: Any) -> public.Quota:
    return mapper.to_model(found[0], group_name=found.group_name, user_name=found.user_name)


async def _read(session: AsyncSession, quota_id: int) -> public.Quota:
    query = _named().where(rows.Quota.id == quota_id)
    found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
    if found is None:
        raise missing("quota", quota_id)
    return (await with_updaters(session, [(found[0], _model(found))]))[0]


async def _locked(session: AsyncSession, quota_id: int) -> rows.Quota:
    row = await session.get(rows.Quota, quota_id, with_for_update=True)
    if row is None or row.scope == "key":
        raise missing("quota", quota_id)
    return row


def _check_subject(quota: public.Quota) -> None:
    """Raises `ValidationFailedError` unless scope, group and person fit together."""
    if quota.scope is public.QuotaScope.KEY:
        raise ValidationFailedError.of("scope", "quotas of API keys are set with the key")
    if quota.group_id and quota.scope not in (public.QuotaScope.GROUP, public.QuotaScope.MEMBER):
        raise ValidationFailedError.of("group_id", "is for the scopes `group` and `member`")
    if quota.scope is public.QuotaScope.GROUP and not quota.group_id:
        raise ValidationFailedError.of("group_id", "is required for the scope `group`")
    if quota.user_id and quota.scope is not public.QuotaScope.USER:
        raise ValidationFailedError.of("user_id", "is for the scope `user`")
    if quota.scope is public.QuotaScope.USER and not quota.user_id:
        raise ValidationFailedError.of("user_id", "is required for the scope `user`")


def _require_limit(row: rows.Quota) -> None:
    own, others = (_RATES, _AMOUNTS) if row.period == "minute" else (_AMOUNTS, _RATES)
    for name in others:
        if getattr(row, name) is not None:
            periods = "`day` and `month`" if name in _AMOUNTS else "`minute`"
            raise ValidationFailedError.of(name, f"is for the period {periods}: create another quota for it")
    if all(getattr(row, name) is None for name in own):
        raise ValidationFailedError.of(own[1], f"set at least one of {own[0]}, {own[1]} and {own[2]}")


def _detail(row: rows.Quota) -> dict[str, Any]:
    limits = {name: value if value is None else float(value) for name in _LIMITS for value in (getattr(row, name),)}
    subject = {"scope": row.scope, "group": row.group_id, "user": row.user_id, "period": row.period}
    return {name: value for name, value in (subject | limits).items() if value is not None}


def _usage(user_id: int, api_key_id: int | None) -> Select[Any]:
    """Returns the statement of the limits that bind a person who uses a key, with their use in the current period."""
    limits = func.quotas_of(user_id, cast(api_key_id, Integer)).table_valued(
        column("group_id", Integer),
        column("user_id", Integer),
        column("period", String),
        column("max_questions", BigInteger),
        column("max_tokens", BigInteger),
        column("max_cost", Numeric),
        column("api_key_id", Integer),
        name="limits",
    )
    usage = rows.QuotaUsage
    begins_at = func.date_trunc(limits.c.period, func.now(), "UTC")
    is_current = and_(
        usage.user_id.is_not_distinct_from(limits.c.user_id),
        usage.group_id.is_not_distinct_from(limits.c.group_id),
        usage.api_key_id.is_not_distinct_from(limits.c.api_key_id),
        usage.period == limits.c.period,
        usage.begins_at == begins_at,
    )
    group, key = rows.Group, rows.ApiKey
    return (
        select(
            limits.c.group_id,
            limits.c.user_id,
            limits.c.api_key_id,
            limits.c.period,
            begins_at.label("begins_at"),
            func.coalesce(limits.c.max_questions, 0).label("max_questions"),
            func.coalesce(limits.c.max_tokens, 0).label("max_tokens"),
            cast(func.coalesce(limits.c.max_cost, 0), Float).label("max_cost"),
            func.coalesce(usage.questions, 0).label("questions"),
            func.coalesce(usage.tokens, 0).label("tokens"),
            cast(func.coalesce(usage.cost, 0), Float).label("cost"),
            func.coalesce(usage.reserved_tokens, 0).label("reserved_tokens"),
            cast(func.coalesce(usage.reserved_cost, 0), Float).label("reserved_cost"),
            func.coalesce(func.nullif(group.display_name, ""), group.name, "").label("group_name"),
            func.coalesce(key.name, "").label("api_key_name"),
        )
        .select_from(limits)
        .outerjoin(usage, is_current)
        .outerjoin(group, group.id == limits.c.group_id)
        .outerjoin(key, key.id == limits.c.api_key_id)
        .order_by(limits.c.user_id, limits.c.api_key_id.nulls_first(), limits.c.group_id.nulls_first(), limits.c.period)
    )


def _usage_of(row: Any) -> public.QuotaUsage:
    scope = public.QuotaScope.ORGANIZATION
    if row.user_id:
        scope = public.QuotaScope.USER
    elif row.group_id:
        scope = public.QuotaScope.GROUP
    elif row.api_key_id:
        scope = public.QuotaScope.KEY
    return public.QuotaUsage(
        scope=scope,
        group_id=row.group_id or 0,
        group_name=row.group_name,
        api_key_id=row.api_key_id or 0,
        api_key_name=row.api_key_name,
        period=public.QuotaPeriod.MONTH if row.period == "month" else public.QuotaPeriod.DAY,
        max_questions=row.max_questions,
        max_tokens=row.max_tokens,
        max_cost=row.max_cost,
        questions=row.questions,
        tokens=row.tokens,
        cost=row.cost,
        reserved_tokens=row.reserved_tokens,
        reserved_cost=row.reserved_cost,
        renews_at=renewal(row.period, row.begins_at),
    )
