"""Which tables and columns a statement uses: one of SQLAlchemy, or SQL as text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import ClauseElement, Column, Select, Table, TextClause
from sqlalchemy.sql.dml import Insert, Update

from echomind_lib.db.models import Base
from echomind_lib.db.statements import Query

TABLES: dict[str, Table] = dict(Base.metadata.tables)


ColumnName = tuple[str, str]


@dataclass
class Uses:
    """What of the schema is used."""

    reads: set[ColumnName] = field(default_factory=set)
    writes: set[ColumnName] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)

    def add(self, other: "Uses") -> None:
        """Adds what is used elsewhere."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.tables |= other.tables


def of_statement(statement: Any) -> Uses:
    """Returns what a statement of Core uses, with all of its parts."""
    uses = Uses()
    for part in _parts(statement):
        if isinstance(part, TextClause):
            uses.add(of_text(part.text, set()))
        elif isinstance(part, Table):
            uses.tables.add(part.name)
        elif isinstance(part, (Insert, Update)):
            table = cast("Table", part.table)
            uses.tables.add(table.name)
            uses.writes |= {(table.name, name) for name in _written(part)}
        for column in getattr(part, "base_columns", ()):
            if isinstance(column, Column) and isinstance(column.table, Table):
                uses.reads.add((column.table.name, column.name))
                uses.tables.add(column.table.name)
    return uses


def of_query(query: Query[Any], taken: frozenset[str]) -> Uses:
    """Returns what a query uses; what it selects for a field of its rows counts if the field is `taken` somewhere."""
    core: Any = query._core
    if query.columns is None or not isinstance(core, Select):
        return of_statement(core)
    used = [column for column in core.selected_columns if str(column.key).rpartition(".")[2] in taken]
    return of_statement(core.with_only_columns(*used, maintain_column_froms=True))


def _parts(statement: Any) -> Iterator[Any]:
    """All parts of a statement; of what is written, the values and not the columns."""
    waiting, seen = [statement], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, (Insert, Update)):
            waiting += part.get_children(omit_attrs=("_values", "_ordered_values"))
            waiting += [value for value in (part._values or {}).values() if isinstance(value, ClauseElement)]
        else:
            waiting += part.get_children()


def _written(statement: Any) -> list[str]:
    keys = list(statement._values or ())
    if isinstance(statement, Insert):
        keys += statement._select_names or ()
        keys += getattr(getattr(statement, "_post_values_clause", None), "update_values_to_set", None) or ()
    return [str(getattr(key, "name", key)) for key in keys]


def of_text(text: str, around: set[str]) -> Uses:
    """What SQL text uses, or a part of one: its columns are of the tables that it names, or that stand `around` it."""
    tables = set(re.findall(r"\w+", text)) & TABLES.keys()
    uses = Uses(tables=tables)
    written: list[tuple[int, int]] = []
    """Where in the text the columns stand that are written: they are not read there."""
    for found in re.finditer(r"INSERT\s+INTO\s+(\w+)\s*\(([^)]*)\)", text):
        written.append(found.span(2))
        uses.writes |= {(found[1], column) for column in re.findall(r"\w+", found[2])}
    updates = r"(?:UPDATE|INSERT\s+INTO)\s+(\w+)\b[^;]*?\bSET\s+(.*?)(?:\bWHERE\b|\bFROM\b|\bRETURNING\b|;|$)"
    for found in re.finditer(updates, text, re.DOTALL):
        for start, end in _assigned(found[2]):
            written.append((found.start(2) + start, found.start(2) + end))
            uses.writes.add((found[1], found[2][start:end]))
    for start, end in written:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    words = set(re.findall(r"(?<![\w:])\w+|(?<=::)\w+", text))  # without names of parameters
    for table in tables | around:
        uses.reads |= {(table, column) for column in words & set(TABLES[table].columns.keys())}
    uses.writes = {(table, column) for table, column in uses.writes if table in TABLES}
    return uses


def _assigned(assignments: str) -> Iterator[tuple[int, int]]:
    """Yields where the columns on the left sides of `a = 1, b = f(c = 2, 3)` begin and end."""
    depth, is_new = 0, True
    for found in re.finditer(r"\w+|[(),]", assignments):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "," and depth == 0:
            is_new = True
        elif is_new and depth == 0:
            is_new = False
            yield found.span()


def of_functions(schema: str) -> Uses:
    """Returns what the functions and triggers of a schema, given as SQL, use."""
    uses = Uses()
    for body in re.findall(r"AS (\$\w*\$)(.*?)\1", schema, re.DOTALL):
        uses.add(of_text(body[1], set()))
    triggers = re.findall(r"CREATE TRIGGER [^;]* ON public\.(\w+) [^;]*EXECUTE FUNCTION public\.(\w+)\(", schema)
    for function, body in re.findall(r"CREATE FUNCTION public\.(\w+)\([^$]*AS \$\$(.*?)\$\$", schema, re.DOTALL):
        set_columns = re.findall(r"\bNEW\.(\w+) :=", body)
        uses.writes |= {(table, name) for table, called in triggers if called == function for name in set_columns}
    return uses
