"""The time of day, and days between dates."""

import difflib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import Field

from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, tool

_WEEK = 7


def current_time(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Tool:
    """Returns the tool for the date and the time.

    Args:
        now: Returns the time, with its zone.
    """

    @tool(progress=lambda given: f"Looking at the clock in {given.time_zone}")
    async def current_time(
        context: ToolContext,  # noqa: ARG001
        time_zone: Annotated[
            str, Field(max_length=60, description="An IANA time zone, such as Europe/Berlin or America/New_York.")
        ] = "UTC",
    ) -> str:
        """Tells today's date and the time of day in a time zone."""
        local = now().astimezone(find_zone(time_zone))
        year, week, _ = local.isocalendar()
        return (
            f"{local:%A}, {local:%Y-%m-%d}, {local:%H:%M:%S} in {time_zone} (UTC{_offset(local)}); "
            f"week {week} of {year}, day {local.timetuple().tm_yday} of the year."
        )

    return current_time


@tool(progress=lambda given: f"Counting the days from {given.start} to {given.end}")
async def days_between(
    context: ToolContext,  # noqa: ARG001
    start: Annotated[date, Field(description="First date, as 2026-01-31.")],
    end: Annotated[date, Field(description="Second date.")],
) -> str:
    """Counts the days from one date to another, and how many of them are from Monday to Friday."""
    days = (end - start).days
    first, last = min(start, end), max(start, end)
    weeks, rest = divmod(abs(days), _WEEK)
    working = 5 * weeks + sum((first + timedelta(weeks * _WEEK + day)).weekday() < 5 for day in range(rest))
    parts = ", ".join(
        f"{count} {unit}{'' if count == 1 else 's'}"
        for unit, count in zip(("year", "month", "day"), _parts(first, last), strict=True)
    )
    return (
        f"From {start:%A}, {start} to {end:%A}, {end}: {days} days ({parts}), {working} of them from Monday to Friday. "
        "The first date is counted and the last is not."
    )


def find_zone(name: str) -> ZoneInfo:
    """Returns a time zone by its IANA name.

    Raises:
        ToolError: There is no zone of that name; the message lists similar names.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        known = _zones()
        alike = difflib.get_close_matches(name.replace(" ", "_").lower(), known, 3, 0.5)
        hint = f" Did you mean {' or '.join(known[key] for key in alike)}?" if alike else ""
        raise ToolError(f"There is no time zone {name}.{hint} Use an IANA name such as Europe/Berlin.") from error


@cache
def _zones() -> dict[str, str]:
    """Returns names of time zones by their common spellings: the full name, and the place alone."""
    names = sorted(available_timezones())
    return {name.rpartition("/")[2].lower(): name for name in names} | {name.lower(): name for name in names}


def _offset(moment: datetime) -> str:
    text = f"{moment:%z}"
    return f"{text[:3]}:{text[3:5]}"


def _parts(first: date, last: date) -> tuple[int, int, int]:
    """Returns the whole years, then whole months, then days between two dates."""
    months = (last.year - first.year) * 12 + last.month - first.month
    if _months_later(first, months) > last:
        months -= 1
    return months // 12, months % 12, (last - _months_later(first, months)).days


def _months_later(start: date, months: int) -> date:
    """Returns the same day of a later month, or that month's last day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    for day in range(start.day, 27, -1):
        try:
            return date(year, month + 1, day)
        except ValueError:
            continue
    return date(year, month + 1, start.day)
