"""Usage: tokens, cost and users, summed from stored runs and from what is kept by day."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    Float,
    Row,
    Select,
    Subquery,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    not_,
    null,
    select,
    union_all,
)
from typing_extensions import override

from echomind_lib.access import Principal, runs
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db import words
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.models import public

_USUAL: Final = timedelta(days=30)
_LONGEST: Final = timedelta(days=366)
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""With room for the usual time before, and for every time zone, in what a datetime can hold."""
_MAX_GROUPS: Final = 1000
_MAX_DAYS_OF_MODELS: Final = 10_000
_Run, _Daily = rows.Run, rows.UsageDaily
_IS_QUESTION: Final = _Run.parent_run_id.is_(None)
_KINDS: Final[Mapping[words.UsageKind, public.UsageKind]] = {
    kind: public.UsageKind[kind.upper()] for kind in get_args(words.UsageKind)
}
_WORDS: Final = {kind: word for word, kind in _KINDS.items()}
_WAS_RUN_HERE: Final = not_(func.coalesce(_Run.caller.op("?", return_type=Boolean())("imported"), False))
_FIGURES: Final = (
    "questions", "failed_questions", "active_users", "prompt_tokens", "completion_tokens", "cost",
)  # fmt: skip
_GROUPS: Final[Mapping[public.UsageGrouping, tuple[str, Any, Any]]] = {
    public.UsageGrouping.LLM: ("llm_id", rows.Llm, rows.Llm.name),
    public.UsageGrouping.ASSISTANT: ("assistant_id", rows.Assistant, rows.Assistant.name),
    public.UsageGrouping.USER: ("user_id", rows.User, rows.User.user_name),
}
"""By grouping: the column of the calls, and the table and column of the group's name."""


class UsageFigures(public.UsageService):
    """The service `UsageService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def get_usage(self, request: public.GetUsageRequest, call: CallContext) -> public.GetUsageResponse:
        begin, end = _times(request)
        zone = _zone(request.time_zone)
        calls = _calls(request, call.principal, begin, end, zone)
        reader = runs("manage").values(call.principal)
        async with self._database.session() as session:
            total = (await session.execute(total_of(calls), reader)).one()
            found = (await session.execute(_statement(calls, request.group_by), reader)).all()
        if request.group_by is public.UsageGrouping.UNSPECIFIED:
            by_day = {row.day: row for row in found}
            usage = [public.Usage(day=day.isoformat(), **_read(by_day.get(day))) for day in _days(begin, end, zone)]
        else:
            usage = [_usage(row) for row in found]
        return public.GetUsageResponse(usage=usage, total=public.Usage(**_read(total)), from_time=begin, to_time=end)


def calls_between(
    begin: datetime, end: datetime, zone: ZoneInfo, of_runs: ColumnElement[bool], of_days: ColumnElement[bool]
) -> Subquery:
    """Returns the calls of models in a period: each run, and each row that is kept by day.

    Args:
        begin: The earliest time of runs.
        end: The time before which runs were created.
        zone: The time zone of the days.
        of_runs: The condition on runs.
        of_days: The condition on rows of `usage_daily`.
    """
    run = select(
        cast(func.timezone(zone.key, _Run.creation_date), Date).label("day"),
        _Run.user_id.label("user_id"),
        _Run.llm_id.label("llm_id"),
        _Run.assistant_id.label("assistant_id"),
        literal("answer", Text).label("kind"),
        case((_IS_QUESTION, 1), else_=0).label("questions"),
        case((and_(_IS_QUESTION, _Run.status.in_(["failed", "timeout"])), 1), else_=0).label("failed_questions"),
        case((_IS_QUESTION, _Run.user_id), else_=null()).label("asker"),
        _Run.prompt_tokens.label("prompt_tokens"),
        _Run.completion_tokens.label("completion_tokens"),
        _Run.cost.label("cost"),
    ).where(_Run.creation_date >= begin, _Run.creation_date < end, _WAS_RUN_HERE, of_runs)
    days = _days(begin, end, zone)
    kept = select(
        _Daily.day,
        _Daily.user_id,
        _Daily.llm_id,
        _Daily.assistant_id,
        _Daily.kind,
        _Daily.questions,
        _Daily.failed_questions,
        case((_Daily.questions > 0, _Daily.user_id), else_=null()),
        _Daily.prompt_tokens,
        _Daily.completion_tokens,
        _Daily.cost,
    ).where(_Daily.day >= days[0], _Daily.day <= days[-1], of_days)
    return union_all(run, kept).subquery("every_call")


def total_of(calls: Subquery) -> Select[Any]:
    """Returns the statement of the figures of calls."""
    return select(*_sums(calls))


def _calls(
    request: public.GetUsageRequest, principal: Principal, begin: datetime, end: datetime, zone: ZoneInfo
) -> Subquery:
    """Returns the calls that a request is about. Admins see the figures of all, without content; others their own."""
    user_id = request.user_id
    if principal.has_role("admin"):
        of_runs = _Run.user_id == user_id if user_id else literal(value=True)
        of_days = _Daily.user_id == user_id if user_id else literal(value=True)
    elif user_id in {0, principal.user_id}:
        of_runs = runs("manage").where(_Run)
        of_days = _Daily.user_id == principal.user_id
    else:
        raise PermissionDeniedError("Reading the usage of others needs the role admin.", required="admin")
    calls = calls_between(begin, end, zone, of_runs, of_days)
    if request.kind is public.UsageKind.UNSPECIFIED:
        return calls
    return select(calls).where(calls.c.kind == _WORDS[request.kind]).subquery("calls")


def _times(request: public.GetUsageRequest) -> tuple[datetime, datetime]:
    for field, time in (("from_time", request.from_time), ("to_time", request.to_time)):
        if time is not None and not _EARLIEST <= time < _LATEST:
            raise ValidationFailedError.of(field, f"must be in the years {_EARLIEST.year} to {_LATEST.year - 1}")
    end = request.to_time or datetime.now(UTC)
    begin = request.from_time or end - _USUAL
    if begin >= end:
        raise ValidationFailedError.of("from_time", "must be before to_time")
    if end - begin > _LONGEST:
        raise ValidationFailedError.of("from_time", f"must be at most {_LONGEST.days} days before to_time")
    return begin, end


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValidationFailedError.of(
            "time_zone", f"is not known: {name}. Give a name such as Europe/Berlin"
        ) from None


def _sums(calls: Subquery) -> list[ColumnElement[Any]]:
    column = calls.c
    return [
        cast(func.coalesce(func.sum(column.questions), 0), BigInteger).label("questions"),
        cast(func.coalesce(func.sum(column.failed_questions), 0), BigInteger).label("failed_questions"),
        func.count(column.asker.distinct()).label("active_users"),
        cast(func.coalesce(func.sum(column.prompt_tokens), 0), BigInteger).label("prompt_tokens"),
        cast(func.coalesce(func.sum(column.completion_tokens), 0), BigInteger).label("completion_tokens"),
        cast(func.coalesce(func.sum(column.cost), 0), Float).label("cost"),
    ]


def _statement(calls: Subquery, grouping: public.UsageGrouping) -> Select[Any]:
    column = calls.c
    if grouping is public.UsageGrouping.UNSPECIFIED:
        return select(column.day, *_sums(calls)).group_by(column.day)
    if grouping is public.UsageGrouping.KIND:
        sums, tokens = _sums(calls), column.prompt_tokens + column.completion_tokens
        cost = func.coalesce(func.sum(column.cost), 0)
        order = (cost.desc(), func.sum(tokens).desc(), column.kind)
        return select(column.kind, *sums).group_by(column.kind).order_by(*order)
    if grouping is public.UsageGrouping.DAY_LLM:
        return _by_day_and_model(calls)
    return _by_group(calls, grouping)


def _by_day_and_model(calls: Subquery) -> Select[Any]:
    column = calls.c
    summed = select(column.day, column.llm_id.label("id"), *_sums(calls)).group_by(column.day, column.llm_id)
    table = summed.subquery("summed")
    return (
        select(table, rows.Llm.name.label("name"))
        .outerjoin(rows.Llm, rows.Llm.id == table.c.id)
        .order_by(table.c.day, table.c.id)
        .limit(_MAX_DAYS_OF_MODELS)
    )


def _by_group(calls: Subquery, grouping: public.UsageGrouping) -> Select[Any]:
    column, table, name = _GROUPS[grouping]
    group = calls.c[column]
    summed = select(group.label("id"), *_sums(calls)).group_by(group).subquery("summed")
    return (
        select(summed, name.label("name"))
        .outerjoin(table, table.id == summed.c.id)
        .order_by(summed.c.cost.desc(), (summed.c.prompt_tokens + summed.c.completion_tokens).desc(), summed.c.id)
        .limit(_MAX_GROUPS)
    )


def _usage(row: Row[Any]) -> public.Usage:
    """Returns the figures of a group, or of a model on a day."""
    given = row._mapping
    if "kind" in given:
        return public.Usage(kind=_KINDS[given["kind"]], **_read(row))
    day: date | None = given.get("day")
    return public.Usage(day=day.isoformat() if day else "", id=given["id"] or 0, name=given["name"] or "", **_read(row))


def _read(row: Row[Any] | None) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _FIGURES} if row is not None else {}


def _days(begin: datetime, end: datetime, zone: ZoneInfo) -> list[date]:
    first = begin.astimezone(zone).date()
    last = (end - timedelta(microseconds=1)).astimezone(zone).date()
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]
