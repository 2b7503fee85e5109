"""Usage of questions: tokens, cost and users, summed from stored runs."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import ColumnElement, Date, Float, Label, Row, Select, and_, cast, func, literal, select
from typing_extensions import override

from echomind_lib.access import Principal, runs
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.models import public

_USUAL: Final = timedelta(days=30)
_LONGEST: Final = timedelta(days=366)
_MAX_GROUPS: Final = 1000
_MAX_DAYS_OF_MODELS: Final = 10_000
_Run = rows.Run
_IS_QUESTION: Final = _Run.parent_run_id.is_(None)
_SUMS: Final[Mapping[str, ColumnElement[Any]]] = {
    "questions": func.count().filter(_IS_QUESTION),
    "failed_questions": func.count().filter(_IS_QUESTION, _Run.status.in_(["failed", "timeout"])),
    "active_users": func.count(_Run.user_id.distinct()).filter(_IS_QUESTION),
    "prompt_tokens": func.coalesce(func.sum(_Run.prompt_tokens), 0),
    "completion_tokens": func.coalesce(func.sum(_Run.completion_tokens), 0),
    "cost": cast(func.coalesce(func.sum(_Run.cost), 0), Float),
}
_GROUPS: Final[Mapping[public.UsageGrouping, tuple[Any, Any, Any]]] = {
    public.UsageGrouping.LLM: (_Run.llm_id, rows.Llm, rows.Llm.name),
    public.UsageGrouping.ASSISTANT: (_Run.assistant_id, rows.Assistant, rows.Assistant.name),
    public.UsageGrouping.USER: (_Run.user_id, rows.User, rows.User.user_name),
}
"""By grouping: the column of the run, and the table and column of the group's name."""


class UsageFigures(public.UsageService):
    """The service `UsageService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def get_usage(self, request: public.GetUsageRequest, call: CallContext) -> public.GetUsageResponse:
        begin, end = _times(request)
        zone = _zone(request.time_zone)
        during = during_time(begin, end) & _whose(call.principal, request.user_id)
        grouping = request.group_by
        query = _statement(during, grouping, zone)
        reader = runs("manage").values(call.principal)
        async with self._database.session() as session:
            total = (await session.execute(total_of(during), reader)).one()
            found = (await session.execute(query, reader)).all()
        if grouping is public.UsageGrouping.UNSPECIFIED:
            by_day = {row.day: row for row in found}
            usage = [public.Usage(day=day.isoformat(), **_sums(by_day.get(day))) for day in _days(begin, end, zone)]
        elif grouping is public.UsageGrouping.DAY_LLM:
            usage = [
                public.Usage(day=row.day.isoformat(), id=row.id or 0, name=row.name or "", **_sums(row))
                for row in found
            ]
        else:
            usage = [public.Usage(id=row.id or 0, name=row.name or "", **_sums(row)) for row in found]
        return public.GetUsageResponse(usage=usage, total=public.Usage(**_sums(total)), from_time=begin, to_time=end)


def during_time(begin: datetime, end: datetime) -> ColumnElement[bool]:
    """Returns the condition on runs that were created from `begin` on and before `end`."""
    return and_(_Run.creation_date >= begin, _Run.creation_date < end)


def total_of(condition: ColumnElement[bool]) -> Select[Any]:
    """Returns the statement of the figures of all runs that meet a condition."""
    return select(*_columns()).where(condition)


def _whose(principal: Principal, user_id: int) -> ColumnElement[bool]:
    """Returns the condition on runs: all for admins, who see figures without content, otherwise the caller's own."""
    if principal.has_role("admin"):
        return _Run.user_id == user_id if user_id else literal(value=True)
    if user_id not in {0, principal.user_id}:
        raise PermissionDeniedError("Reading the usage of others needs the role admin.", required="admin")
    return runs("manage").where(_Run)


def _times(request: public.GetUsageRequest) -> tuple[datetime, datetime]:
    end = request.to_time or datetime.now(UTC)
    begin = request.from_time or end - _USUAL
    if begin >= end:
        raise _invalid("from_time", "must be before to_time")
    if end - begin > _LONGEST:
        raise _invalid("from_time", f"must be at most {_LONGEST.days} days before to_time")
    return begin, end


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _invalid("time_zone", f"is not known: {name}. Give a name such as Europe/Berlin") from None


def _columns() -> list[ColumnElement[Any]]:
    return [column.label(name) for name, column in _SUMS.items()]


def _statement(during: ColumnElement[bool], grouping: public.UsageGrouping, zone: ZoneInfo) -> Select[Any]:
    day = cast(func.timezone(zone.key, _Run.creation_date), Date).label("day")
    if grouping is public.UsageGrouping.UNSPECIFIED:
        return select(day, *_columns()).where(during).group_by(day)
    if grouping is public.UsageGrouping.DAY_LLM:
        return _by_day_and_model(during, day)
    return _by_group(during, grouping)


def _by_day_and_model(during: ColumnElement[bool], day: Label[date]) -> Select[Any]:
    summed = select(day, _Run.llm_id.label("id"), *_columns()).where(during).group_by(day, _Run.llm_id)
    table = summed.subquery("summed")
    return (
        select(table, rows.Llm.name.label("name"))
        .outerjoin(rows.Llm, rows.Llm.id == table.c.id)
        .order_by(table.c.day, table.c.id)
        .limit(_MAX_DAYS_OF_MODELS)
    )


def _by_group(during: ColumnElement[bool], grouping: public.UsageGrouping) -> Select[Any]:
    column, table, name = _GROUPS[grouping]
    summed = select(column.label("id"), *_columns()).where(during).group_by(column).subquery("summed")
    return (
        select(summed, name.label("name"))
        .outerjoin(table, table.id == summed.c.id)
        .order_by(summed.c.cost.desc(), (summed.c.prompt_tokens + summed.c.completion_tokens).desc(), summed.c.id)
        .limit(_MAX_GROUPS)
    )


def _sums(row: Row[Any] | None) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _SUMS} if row is not None else {}


def _days(begin: datetime, end: datetime, zone: ZoneInfo) -> list[date]:
    first = begin.astimezone(zone).date()
    last = (end - timedelta(microseconds=1)).astimezone(zone).date()
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _invalid(field: str, rule: str) -> ValidationFailedError:
    return ValidationFailedError(f"{field}: {rule}", **{field: rule})
