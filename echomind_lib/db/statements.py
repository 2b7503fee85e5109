"""Statements of the hot path: built from the mapped classes at import, executed by asyncpg with named parameters.

A statement is SQLAlchemy Core over the mapped classes (`select(Run.id)`, `update(Run)`, CTEs of them), so a column that
does not exist is an error of the type checker and of the import. What Core cannot say is SQL text with `:name`
parameters, by `sqlalchemy.text`; a cast of one is written `CAST(:name AS int)`.

`Query` returns rows as a type of ours, `Command` the number of rows that it changed. Both are compiled at first use and
kept; binding a call costs a microsecond. Constants of a statement (`Run.status == "queued"`) stand in its text, so that
the planner can match partial indexes; only `bindparam("name")` without a value is a parameter.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar, cast

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy import BindParameter, Executable
from sqlalchemy.dialects.postgresql.asyncpg import PGCompiler_asyncpg, PGDialect_asyncpg
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import JSON, TypeEngine

Row = TypeVar("Row")
Connection = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy
"""Where a statement is executed: a pool, each statement in a transaction of its own, or a connection."""


class _Compiler(PGCompiler_asyncpg):
    """Writes constants into the text; what has no value is a parameter."""

    def visit_bindparam(self, bindparam: BindParameter[Any], *args: Any, **kwargs: Any) -> str:
        if not bindparam.required:
            kwargs["literal_binds"] = True
        text: str = super().visit_bindparam(bindparam, *args, **kwargs)  # type: ignore[no-untyped-call]
        return text

    def render_literal_value(self, value: Any, type_: TypeEngine[Any]) -> str:
        if isinstance(type_, JSON) and value is not None:
            quoted = msgspec.json.encode(value).decode().replace("'", "''")
            return f"'{quoted}'::jsonb"
        text: str = super().render_literal_value(value, type_)  # type: ignore[no-untyped-call]
        return text


_DIALECT: Final = PGDialect_asyncpg()  # type: ignore[no-untyped-call]
_DIALECT.statement_compiler = _Compiler


class _Statement:
    """A statement that is compiled at its first use."""

    def __init__(self, core: Executable) -> None:
        self._core = core

    @property
    def sql(self) -> str:
        """The text that PostgreSQL gets, with parameters by number."""
        return self._compiled[0]

    @property
    def parameters(self) -> Sequence[str]:
        """The names of its parameters, in the order of their numbers."""
        return self._compiled[1]

    @cached_property
    def _compiled(self) -> tuple[str, tuple[str, ...]]:
        compiled = cast("SQLCompiler", self._core.compile(dialect=_DIALECT))  # type: ignore[attr-defined]
        return compiled.string, tuple(compiled.positiontup or ())

    def bind(self, values: dict[str, Any]) -> list[Any]:
        """Returns the values in the order of the parameters' numbers.

        Raises:
            TypeError: One is missing, or the statement has no such parameter.
        """
        names = self._compiled[1]
        try:
            bound = [values[name] for name in names]
        except KeyError as error:
            message = f"the statement's parameter {error.args[0]!r} is missing"
            raise TypeError(message) from None
        if len(values) > len(names):
            message = f"the statement has no parameters {sorted(values.keys() - set(names))}"
            raise TypeError(message)
        return bound


class Command(_Statement):
    """A statement of which nothing is read."""

    async def execute(self, connection: Connection, **values: Any) -> int:
        """Executes it and returns the number of rows that it inserted, updated, deleted or selected."""
        status = await connection.execute(self.sql, *self.bind(values))
        return int(status.rpartition(" ")[2])

    async def execute_many(self, connection: Connection, calls: Sequence[dict[str, Any]]) -> None:
        """Executes it once for each of `calls`, in one round trip and one transaction."""
        await connection.executemany(self.sql, [self.bind(values) for values in calls])


class Query(_Statement, Generic[Row]):
    """A statement with rows.

    Args:
        core: The statement.
        row: What a row becomes: a dataclass with a field for each column, by name; or, for a statement of one column,
            the type of its value.
    """

    def __init__(self, core: Executable, row: Callable[..., Row]) -> None:
        super().__init__(core)
        self._row = row
        self._is_record = is_dataclass(row)

    @property
    def columns(self) -> Sequence[str] | None:
        """The columns that its rows must have; None when it is one value."""
        return [field.name for field in fields(cast("Any", self._row)) if field.init] if self._is_record else None

    async def fetch_all(self, connection: Connection, **values: Any) -> list[Row]:
        """Returns all rows."""
        records = await connection.fetch(self.sql, *self.bind(values))
        return [self._make(record) for record in records]

    async def fetch_one(self, connection: Connection, **values: Any) -> Row | None:
        """Returns the first row, or None."""
        record = await connection.fetchrow(self.sql, *self.bind(values))
        return None if record is None else self._make(record)

    def _make(self, record: asyncpg.Record) -> Row:
        return self._row(**record) if self._is_record else cast("Row", _first(record))


_first = itemgetter(0)
