"""Statements of the hot path: built from the mapped classes at import, executed by asyncpg with named parameters.

A statement is SQLAlchemy Core over the mapped classes (`select(Run.id)`, `update(Run)`, CTEs of them), so a column that
does not exist is an error of the type checker and of the import, or for a deferred statement of the test that builds
them all. What Core cannot express is SQL text with `:name` parameters, by `sqlalchemy.text`; a cast of one is written
`CAST(:name AS int)`.

`Query` returns typed rows, `Command` the number of rows that it changed. Both are compiled at first use and
kept; binding a call costs a microsecond. Constants (`Run.status == "queued"`) are rendered into the text, so that
the planner can match partial indexes; only `bindparam("name")` without a value is a parameter.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Final, Generic, TypeVar, cast, get_args, get_type_hints

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy import BindParameter, ColumnElement, Executable, SQLColumnExpression
from sqlalchemy.dialects.postgresql.asyncpg import PGCompiler_asyncpg, PGDialect_asyncpg
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import JSON, TypeEngine
from typing_extensions import override

Row = TypeVar("Row")
Connection = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy
"""Where a statement is executed: a pool, with one transaction per statement, or a connection."""


class _Compiler(PGCompiler_asyncpg):
    """Renders constants into the text; only bind parameters without a value are parameters."""

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
    """A statement that is compiled at first use."""

    def __init__(self, core: Executable) -> None:
        self._given_core = core

    @property
    def _core(self) -> Executable:
        return self._given_core

    @property
    def sql(self) -> str:
        """The SQL text with numbered parameters."""
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
            TypeError: A parameter is missing or unknown.
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
    """A statement whose rows are not read."""

    async def execute(self, connection: Connection, **values: Any) -> int:
        """Executes it and returns the number of rows that it inserted, updated, deleted or selected."""
        status = await connection.execute(self.sql, *self.bind(values))
        return int(status.rpartition(" ")[2])


class Query(_Statement, Generic[Row]):
    """A statement with rows.

    Args:
        core: The statement.
        row: Type of a row: a dataclass with a field for each column, by name; or, for a statement with one column,
            the type of its value. Fields of the dataclass may be dataclasses, too, with the columns of `part`.
    """

    def __init__(self, core: Executable, row: Callable[..., Row]) -> None:
        super().__init__(core)
        self._given_row = row

    @property
    def _row(self) -> Callable[..., Row]:
        return self._given_row

    @classmethod
    def deferred(cls, build: Callable[[], "Query[Row]"]) -> "Query[Row]":
        """Returns a statement that is built at its first use, as large ones take memory in each process.

        Args:
            build: Returns the statement.
        """
        return _Deferred(build)

    @property
    def columns(self) -> Sequence[str] | None:
        """The required columns of its rows; None for a single value."""
        return self._shape.columns if self._shape else None

    @cached_property
    def _shape(self) -> "_Shape | None":
        return _Shape(self._row, "") if is_dataclass(self._row) else None

    async def fetch_all(self, connection: Connection, **values: Any) -> list[Row]:
        """Returns all rows."""
        records = await connection.fetch(self.sql, *self.bind(values))
        return [self._make(record) for record in records]

    async def fetch_one(self, connection: Connection, **values: Any) -> Row | None:
        """Returns the first row, or None."""
        record = await connection.fetchrow(self.sql, *self.bind(values))
        return None if record is None else self._make(record)

    def _make(self, record: asyncpg.Record) -> Row:
        made: Row = self._shape.make(record) if self._shape else record[0]
        return made


class _Deferred(Query[Row]):
    """A statement that is built at its first use, of which only the text and the type of its rows are kept."""

    def __init__(self, build: Callable[[], Query[Row]]) -> None:
        self._build = build
        self._known_row: Callable[..., Row] | None = None

    @property
    @override
    def _core(self) -> Executable:
        built = self._build()
        self._known_row = built._row
        return built._core

    @property
    @override
    def _row(self) -> Callable[..., Row]:
        if self._known_row is None:
            self._known_row = self._build()._row
        return self._known_row


def part(name: str, *columns: SQLColumnExpression[Any]) -> list[ColumnElement[Any]]:
    """Returns columns labelled `name.column`, for a field of a row that is a dataclass itself.

    Args:
        name: The field; nested ones with a dotted path.
        columns: Its columns. An optional field is None in rows in which the first of them is NULL.
    """
    return [column.label(f"{name}.{cast('Any', column).name}") for column in columns]


def columns(kind: type, *sources: Any, **expressions: SQLColumnExpression[Any]) -> list[ColumnElement[Any]]:
    """Returns a column for each field of a row, by its name; fields that are dataclasses have their `part`.

    Args:
        kind: The dataclass of the row.
        sources: Mapped classes and CTEs with columns of the names of fields.
        expressions: Those of the other fields, and of fields of which several sources have a column.

    Raises:
        AttributeError: A field has no column or several, or there is an expression without a field.
    """
    names, _ = _fields_of(kind)
    if unknown := expressions.keys() - set(names):
        message = f"{kind.__name__} has no fields {sorted(unknown)}"
        raise AttributeError(message)
    spaces = [getattr(source, "c", source) for source in sources]
    selected: list[ColumnElement[Any]] = []
    for name in names:
        found = [expressions[name]] if name in expressions else [getattr(e, name) for e in spaces if hasattr(e, name)]
        if len(found) != 1:
            message = f"{kind.__name__}.{name} has {len(found)} columns"
            raise AttributeError(message)
        column: Any = found[0]
        selected.append(column if getattr(column, "name", None) == name else column.label(name))
    return selected


@cache
def _fields_of(kind: Any) -> tuple[list[str], dict[str, tuple[Any, bool]]]:
    """Returns the fields of a dataclass that are columns, and dataclasses, with whether they may be None."""
    names: list[str] = []
    parts: dict[str, tuple[Any, bool]] = {}
    types = get_type_hints(kind)
    for field in fields(kind):
        choices = get_args(types[field.name]) if isinstance(types[field.name], UnionType) else (types[field.name],)
        inner = next(filter(is_dataclass, choices), None)
        if inner is not None:
            parts[field.name] = inner, NoneType in choices
        elif field.init:
            names.append(field.name)
    return names, parts


class _Shape:
    """Conversion of a row's columns to a dataclass."""

    def __init__(self, kind: Any, prefix: str = "") -> None:
        self._kind = kind
        names, parts = _fields_of(kind)
        self._columns = [(name, f"{prefix}{name}") for name in names]
        self._parts = [
            (name, _Shape(inner, f"{prefix}{name}."), may_be_none) for name, (inner, may_be_none) in parts.items()
        ]
        # Apart, so that a row is read without a call of a Python function.
        self._names = [name for name, _ in self._columns]
        self._keys = [column for _, column in self._columns]

    @property
    def columns(self) -> list[str]:
        """The columns of a row."""
        own = [column for _, column in self._columns]
        return [*own, *(column for _, part, _ in self._parts for column in part.columns)]

    def make(self, record: asyncpg.Record) -> Any:
        """Returns the dataclass of a row."""
        values = dict(zip(self._names, map(record.__getitem__, self._keys), strict=True))
        for name, part, may_be_none in self._parts:
            values[name] = None if may_be_none and part.is_absent(record) else part.make(record)
        return self._kind(**values)

    def is_absent(self, record: asyncpg.Record) -> bool:
        """Returns whether the dataclass is absent from a row: its first column is NULL."""
        return record[self._columns[0][1]] is None
