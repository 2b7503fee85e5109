"""When a model counts as one that leads teams well."""

from typing import Any

import pytest

from bench.teams import shortfalls


def _row(**changed: int) -> dict[str, Any]:
    usual = {"runs": 16, "completed": 16, "needed a member": 8, "needed none": 8}
    return usual | {"of these gave a task": 7, "of these gave none": 7} | changed


def test_seven_of_eight_are_enough_in_each_mode() -> None:
    assert shortfalls({mode: _row() for mode in ("coordinate", "route", "collaborate")}) == []


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"of these gave a task": 6}, "route: gives a task where one is needed for 6 of 8 questions"),
        ({"of these gave none": 6}, "route: gives none where none is needed for 6 of 8 questions"),
        ({"completed": 15}, "route: 15 of 16 runs were completed"),
    ],
)
def test_what_falls_short_is_named(changed: dict[str, int], problem: str) -> None:
    assert shortfalls({"coordinate": _row(), "route": _row(**changed), "collaborate": _row()}) == [problem]
