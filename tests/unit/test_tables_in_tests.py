"""Tests that walk a table run each row, and name all that fail."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.drivers.tables import for_each

ROWS = [(1, 2), (2, 3), pytest.param(3, 5, id="sum"), (4, 4)]
seen: list[tuple[Any, ...]] = []


@for_each(("number", "next_one"), ROWS)
def walk(number: int, next_one: int) -> None:
    seen.append((number, next_one))
    assert number + 1 == next_one


@for_each("number", [1, 2], ids=lambda number: f"<{number}>")
async def walk_async(number: int, tmp_path: str) -> None:
    seen.append((number, tmp_path))
    assert number == 1


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    seen.clear()


def test_all_rows_run_and_each_that_fails_is_named() -> None:
    call: Callable[[], None] = walk
    with pytest.raises(ExceptionGroup, match="2 of 4 rows fail: sum, 4, 4") as caught:
        call()
    assert seen == [(1, 2), (2, 3), (3, 5), (4, 4)]
    assert [type(error) for error in caught.value.exceptions] == [AssertionError] * 2
    assert caught.value.exceptions[0].__notes__ == ["Row: sum"]


async def test_fixtures_are_given_to_each_row_of_a_coroutine() -> None:
    call: Callable[..., Awaitable[None]] = walk_async
    with pytest.raises(ExceptionGroup, match="1 of 2 rows fail: <2>"):
        await call(tmp_path="x")
    assert seen == [(1, "x"), (2, "x")]


@for_each(("number", "next_one"), ROWS[:2])
def test_pytest_calls_it_once(number: int, next_one: int, request: pytest.FixtureRequest) -> None:
    assert request.node.name == "test_pytest_calls_it_once"
    assert number + 1 == next_one


def test_a_row_with_a_mark_is_refused() -> None:
    with pytest.raises(AssertionError, match="a mark is for a test of its own"):
        for_each("number", [pytest.param(1, marks=pytest.mark.skip)])
