"""Patterns of paths and addresses: included and excluded by a connector."""

import fnmatch
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

Pattern: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]
Patterns: TypeAlias = Annotated[tuple[Pattern, ...], Meta(max_length=100)]

_Run: TypeAlias = tuple[re.Pattern[str], ...]
"""Consecutive parts of a path."""
_ANY_FOLDERS: Final = "**"


def matches(patterns: Sequence[str], path: str) -> bool:
    """Returns whether a path or an address matches any of some patterns.

    `?` matches one character, `*` any number of them, `[abc]` one of a set, none of them `/`; a part `**` matches any
    number of folders. A pattern without `/` is compared with the last part of the path. The time is proportional to the
    length of both, whatever the pattern.
    """
    parts = path.split("/")
    return any(_match(_compiled(pattern), parts if "/" in pattern else parts[-1:]) for pattern in patterns)


def selects(include: Sequence[str], exclude: Sequence[str], path: str) -> bool:
    """Returns whether a path is selected: it matches `include`, if any, and does not match `exclude`."""
    return (not include or matches(include, path)) and not matches(exclude, path)


@lru_cache(maxsize=1000)
def _compiled(pattern: str) -> tuple[_Run, ...]:
    """Returns the runs of parts between `**`."""
    runs: list[list[re.Pattern[str]]] = [[]]
    for part in pattern.split("/"):
        if part == _ANY_FOLDERS:
            runs.append([])
        else:
            runs[-1].append(re.compile(fnmatch.translate(part)))
    return tuple(map(tuple, runs))


def _match(runs: tuple[_Run, ...], parts: Sequence[str]) -> bool:
    """Matches the first run at the start, the last one at the end, and each of the others at its first match."""
    first, *rest = runs
    if not _fits(first, parts, 0):
        return False
    if not rest:
        return len(first) == len(parts)
    *middle, last = rest
    at, end = len(first), len(parts) - len(last)
    for run in middle:
        while not _fits(run, parts[:end], at):
            at += 1
            if at + len(run) > end:
                return False
        at += len(run)
    return at <= end and _fits(last, parts, end)


def _fits(run: _Run, parts: Sequence[str], at: int) -> bool:
    found = parts[at : at + len(run)]
    return len(found) == len(run) and all(part.match(name) for part, name in zip(run, found, strict=True))
