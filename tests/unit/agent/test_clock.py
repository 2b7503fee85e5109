"""The time of day, and days between dates."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.tools.clock import current_time, days_between, find_zone
from echomind_agent.toolset.registry import Tool, ToolContext, ToolError
from tests.drivers.tables import for_each

NO_CONTEXT = cast("ToolContext", None)
NEW_YEAR = datetime(2026, 12, 31, 23, 30, 5, tzinfo=UTC)


async def call(tool: Tool, **arguments: object) -> str:
    result = await tool.call(NO_CONTEXT, tool.parse(json.dumps(arguments, default=str)))
    assert isinstance(result, str)
    return result


async def test_time_in_zones() -> None:
    clock = current_time(lambda: NEW_YEAR)
    assert await call(clock) == (
        "Thursday, 2026-12-31, 23:30:05 in UTC (UTC+00:00); week 53 of 2026, day 365 of the year."
    )
    assert await call(clock, time_zone="Europe/Berlin") == (
        "Friday, 2027-01-01, 00:30:05 in Europe/Berlin (UTC+01:00); week 53 of 2026, day 1 of the year."
    )
    assert "2026-12-31, 20:00:05 in America/St_Johns (UTC-03:30)" in await call(clock, time_zone="America/St_Johns")


async def test_the_time_is_now() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    text = await call(current_time())
    at = datetime.strptime(text.partition(" in ")[0].partition(", ")[2] + " +0000", "%Y-%m-%d, %H:%M:%S %z")
    assert before <= at <= datetime.now(UTC)


@for_each(
    ("name", "hint"),
    [
        ("Berlin", "Europe/Berlin"),
        ("Europe/Berlim", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("../../etc/passwd", "IANA name"),
        ("/etc/localtime", "IANA name"),
        ("Europe", "IANA name"),
        ("", "IANA name"),
        ("a\0b", "IANA name"),
    ],
)
def test_unknown_zones_are_explained(name: str, hint: str) -> None:
    with pytest.raises(ToolError, match="There is no time zone") as caught:
        find_zone(name)
    assert hint in str(caught.value)


@for_each(
    ("start", "end", "text"),
    [
        ("2026-01-01", "2026-01-01", "0 days (0 years, 0 months, 0 days), 0 of them"),
        ("2026-11-20", "2026-11-23", "3 days (0 years, 0 months, 3 days), 1 of them"),
        ("2024-02-29", "2025-02-28", "365 days (1 year, 0 months, 0 days), 261 of them"),
        ("2025-01-31", "2025-03-01", "29 days (0 years, 1 month, 1 day), 21 of them"),
        ("2026-12-24", "2026-01-01", "-357 days (0 years, 11 months, 23 days), 255 of them"),
        ("0001-01-01", "9999-12-31", "3652058 days (9998 years, 11 months, 30 days)"),
    ],
)
async def test_days_between_dates(start: str, end: str, text: str) -> None:
    assert text in await call(days_between, start=start, end=end)


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(min_value=0, max_value=3000))
async def test_days_are_counted_as_one_by_one(start: date, days: int) -> None:
    end = start + timedelta(days)
    working = sum((start + timedelta(day)).weekday() < 5 for day in range(days))
    assert f": {days} days (" in (text := await call(days_between, start=start, end=end))
    assert f"), {working} of them" in text


async def test_wrong_dates_are_explained() -> None:
    with pytest.raises(ToolError, match=r"end: .*date"):
        days_between.parse('{"start": "2026-01-01", "end": "2026-02-30"}')
