"""Turns, documents, idle sessions and idleness cost no more than `limits.toml` says.

The counts are the same on any machine.

When a test fails, its message has all figures, and the statements, plans and functions that they are made of. `-s`
shows them always.
"""

import sys
import tomllib
from pathlib import Path

import pytest

_LIMITS = tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))
_WELL_BELOW = 0.8
"""A figure below this part of its limit is an improvement, which the limit must keep."""
_VARYING = frozenset({"nats_messages", "nats_bytes", "documents.api_calls"})
"""What also depends on how the processes alternate, and may be well below its limit by chance."""
_IDLE = "idle_10_seconds"
"""A window of time, into which one round of a periodic job more or less may fall."""
_LEAST = 2.0
"""Counts below it are not improved upon."""
_PYTHON = (3, 11)
"""The version that calls of Python functions are limited for."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", _LIMITS)
def test_the_budget_holds(case: str, counted: dict[str, tuple[dict[str, float], str]]) -> None:
    figures, details = counted[case]
    limits = _LIMITS[case]
    sys.stdout.write(f"{case}: {_rounded(figures)}\n{details}\n")
    problems = []
    for name, limit in limits.items():
        figure = figures[name]
        if name.endswith("_calls") and name != "model_calls" and sys.version_info[:2] != _PYTHON:
            continue
        if figure > limit["limit"]:
            problems.append(f"{name} is {figure:.2f}, above its limit of {limit['limit']}: make it cheaper")
        elif (
            case != _IDLE
            and not {name, f"{case}.{name}"} & _VARYING
            and figure < _WELL_BELOW * limit["limit"]
            and limit["limit"] > _LEAST
        ):
            problems.append(f"{name} is {figure:.2f}, well below its limit of {limit['limit']}: lower the limit")
    assert not problems, f"{case}: {'; '.join(problems)}.\n{_rounded(figures)}\n{details}"


@pytest.mark.parametrize("case", _LIMITS)
def test_each_limit_says_why(case: str) -> None:
    assert all(limit["why"] for limit in _LIMITS[case].values())


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(figure, 2) for name, figure in figures.items()}
