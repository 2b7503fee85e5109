"""A statement of the code that is executed often."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select

from echomind_lib.access import Principal
from echomind_lib.db import statements
from echomind_lib.db.paging import Page

READER = Principal(user_id=1, groups=frozenset({"staff"}))
"""Whose lists are read: somebody without a role."""
_NO_LIMITS = dict.fromkeys(
    ("reader_assistants", "reader_connectors", "reader_keys", "limited_by", "limited_connectors"), "NULL"
)
"""The parameters of a reader whose API key has no limits."""


@dataclass(frozen=True)
class Query:
    """A statement that is executed often, and the index that it must use."""

    index: str
    sql: str
    values: str
    sorted_by_index: bool = True
    is_page: bool = False
    """Whether it begins after the last row of the page before."""


def issued(
    index: str,
    statement: statements.Command | statements.Query[Any],
    values: dict[str, str],
    *,
    sorted_by_index: bool = False,
    is_page: bool = False,
) -> Query:
    """Returns a statement of the hot path; the values are SQL, by the names of its parameters."""
    values = _NO_LIMITS | values
    in_order = ", ".join(values[name] for name in statement.parameters)
    return Query(index, statement.sql, in_order, sorted_by_index, is_page)


def selected(
    index: str, statement: Select[*tuple[Any, ...]], *, sorted_by_index: bool = True, is_page: bool = False
) -> Query:
    """Returns a statement that is built for each call, with its values: PostgreSQL plans it for them.

    A plan for all values would be costlier where an index is partial, so that it is not taken.
    """
    compiled = statement.compile(dialect=statements._DIALECT, compile_kwargs={"literal_binds": True})
    return Query(index, str(compiled), "", sorted_by_index, is_page)


def page_after(*key: object) -> Page[Any]:
    """Returns a page of 50 rows that begins after a row with this key."""
    return Page(50, key, b"")


def by_foreign_key(index: str, table: str, column: str) -> Query:
    """Returns how PostgreSQL finds the rows that refer to a deleted one: no statement of the code does."""
    return Query(index, f"SELECT FROM ONLY {table} WHERE $1 = {column} FOR KEY SHARE", "1", sorted_by_index=False)
