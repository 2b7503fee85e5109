"""A query that is asked often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echomind_lib.db import statements


@dataclass(frozen=True)
class Query:
    """A query that is asked often, and the index that it must use."""

    index: str
    sql: str
    values: str
    sorted_by_index: bool = True


def issued(
    index: str,
    statement: statements.Command | statements.Query[Any],
    values: Mapping[str, str],
    *,
    sorted_by_index: bool = False,
) -> Query:
    """Returns a statement as the code issues it; the values are SQL, by the names of its parameters."""
    in_order = ", ".join(values[name] for name in statement.parameters)
    return Query(index, statement.sql, in_order, sorted_by_index)
