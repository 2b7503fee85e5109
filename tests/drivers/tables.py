"""Tests that walk a table: one test for all rows, whose failure names each row that fails."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from reprlib import Repr
from typing import Any, NamedTuple

from _pytest.mark import ParameterSet

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 80


class Walk:
    """What has failed of the rows of a table so far."""

    def __init__(self) -> None:
        self._rows = 0
        self._errors: dict[str, Exception] = {}

    @contextmanager
    def at(self, row: object) -> Iterator[None]:
        """Goes on after a failure of the block, which is of what this is the name of."""
        self._rows += 1
        try:
            yield
        except Exception as error:  # noqa: BLE001 - raised by `check`
            error.add_note(f"Row: {row}")
            self._errors[str(row)] = error

    def check(self) -> None:
        """Ends the walk.

        Raises:
            ExceptionGroup: Rows have failed; the message names them.
        """
        if self._errors:
            names = ", ".join(self._errors)
            raise ExceptionGroup(f"{len(self._errors)} of {self._rows} rows fail: {names}", list(self._errors.values()))


def for_each(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], object] | Iterable[object] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Calls a test for each row of a table, as one test: what `pytest.mark.parametrize` does, at a tenth of the cost.

    Fixtures are made once for all rows, so it is for tests that leave them as they are.

    Args:
        names: The arguments that a row has values for.
        rows: The table; a `pytest.param` may give a row its name.
        ids: What rows are called in failures: their names, or a function of their values. By default their values.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [Row.of(row, len(arguments)) for row in rows]
    assert table, "a test of no rows cannot fail"
    if ids is not None:
        given = [ids(row.values[0]) for row in table] if callable(ids) else ids
        table = [Row(row.values, str(title)) for row, title in zip(table, given, strict=True)]

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def walk(**fixtures: Any) -> None:
            walked = Walk()
            for row in table:
                with walked.at(row):
                    test(**fixtures, **dict(zip(arguments, row.values, strict=True)))
            walked.check()

        @wraps(test)
        async def walk_async(**fixtures: Any) -> None:
            walked = Walk()
            for row in table:
                with walked.at(row):
                    await test(**fixtures, **dict(zip(arguments, row.values, strict=True)))
            walked.check()

        made: Callable[..., Any] = walk_async if inspect.iscoroutinefunction(test) else walk
        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        made.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return made

    return decorate


class Row(NamedTuple):
    """A row of a table."""

    values: tuple[Any, ...]
    name: str = ""

    @classmethod
    def of(cls, given: Any, width: int) -> "Row":
        """Returns a row as it is given: as its value, as a sequence of values, or as a `pytest.param`."""
        if isinstance(given, ParameterSet):
            assert not given.marks, "a mark is for a test of its own"
            return cls(tuple(given.values), str(given.id or ""))
        return cls((given,) if width == 1 else tuple(given))

    def __str__(self) -> str:
        return self.name or ", ".join(
            str(getattr(value, "__name__", "")) or _SHORT.repr(value) for value in self.values
        )
