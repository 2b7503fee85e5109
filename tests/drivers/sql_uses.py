"""Which tables and columns the services' code uses: found in statements, in uses of mapped classes, and in text.

- A `Query` or `Command` is a tree of SQLAlchemy, in which columns stand by themselves.
- Statements that are built in functions, and rows of the ORM, are found in the source: attributes of mapped classes,
  names given to `values(…)` and to a class, and, in a module that loads a class, attributes of its rows.
- A mapper between rows and the contract reads the columns of its class that are not internal to it, and those that its
  `to_model` takes from the row.
- In SQL text a column is a word of a text that names its table.
"""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

from sqlalchemy import ClauseElement, Column, Table, TextClause
from sqlalchemy.sql.dml import Insert, Update

import echomind_agent
import echomind_api
import echomind_ingestor
import echomind_lib
from echomind_lib import mappers
from echomind_lib.db.models import Base
from echomind_lib.db.statements import Command, Query
from tools import lint_sql

PACKAGES = (echomind_lib, echomind_api, echomind_agent, echomind_ingestor)
CLASSES: dict[str, Table] = {mapper.class_.__name__: mapper.local_table for mapper in Base.registry.mappers}  # type: ignore[misc]
TABLES: dict[str, Table] = dict(Base.metadata.tables)
_SCHEMA = ("echomind_lib.db.models", "echomind_lib.db.migrations")
_ENTITY_CALLS = {"select", "get", "get_one", "returning", "scalar", "scalars", "refresh"}

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


def modules() -> Iterator[tuple[str, Path]]:
    """The modules of the services and of what they share, without the schema and what is generated."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            name = module.name
            if not (name.startswith((*_SCHEMA, "echomind_lib.pb", "echomind_lib.models")) or name.endswith("__main__")):
                spec = importlib.util.find_spec(name)
                assert spec is not None
                assert spec.origin is not None
                yield name, Path(spec.origin)


@cache
def uses_by_module() -> dict[str, Uses]:
    """Returns what each module uses, by its name."""
    found: dict[str, Uses] = {}
    for name, path in modules():
        uses = found[name] = Uses()
        source = path.read_text("utf-8")
        uses.add(of_source(ast.parse(source)))
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, (Command, Query)):
                uses.add(of_statement(value._core))
        if name.startswith(f"{mappers.__name__}."):
            uses.add(of_mapper(importlib.import_module(name)))
    return found


# -- statements ----------------------------------------------------------------------------------------------------
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


# -- text ----------------------------------------------------------------------------------------------------------
def of_text(text: str, around: set[str]) -> Uses:
    """What SQL text uses, or a part of one: its columns are of the tables that it names, or that stand `around` it."""
    words = set(re.findall(r"\w+", text))
    tables = words & TABLES.keys()
    uses = Uses(tables=tables)
    for table in tables | around:
        uses.reads |= {(table, column) for column in words & set(TABLES[table].columns.keys())}
    for table, columns in re.findall(r"INSERT INTO (\w+) \(([^)]*)\)", text):
        uses.writes |= {(table, column) for column in re.findall(r"\w+", columns)}
    updates = r"(?:UPDATE|INSERT INTO) (\w+)\b[^;]*?\bSET\s+(.*?)(?:\bWHERE\b|\bFROM\b|;|$)"
    for table, assignments in re.findall(updates, text, re.DOTALL):
        uses.writes |= {(table, column) for column in re.findall(r"(\w+)\s*=", assignments)}
    uses.writes = {(table, column) for table, column in uses.writes if table in TABLES}
    return uses


def of_functions(schema: str) -> Uses:
    """Returns what the functions and triggers of a schema, given as SQL, use."""
    uses = Uses()
    for body in re.findall(r"AS (\$\w*\$)(.*?)\1", schema, re.DOTALL):
        uses.add(of_text(body[1], set()))
    return uses


# -- source --------------------------------------------------------------------------------------------------------
class _Source(ast.NodeVisitor):
    """Uses of mapped classes in a module."""

    def __init__(self) -> None:
        self.uses = Uses()
        self.names: dict[str, str] = {}
        """Classes by the names that they have in the module."""
        self.entities: set[str] = set()
        self.loaded: set[str] = set()
        """Attributes that are read of something that is no mapped class."""
        self.assigned: set[str] = set()
        self.dicts: list[set[str]] = []
        """Keys of dictionaries: when all of one are columns of a class that the module changes, these are written."""
        self.changed: set[str] = set()
        """Classes that the module inserts or updates."""

    def class_of(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rows":
            return node.attr if node.attr in CLASSES else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "aliased" and node.args:
            return self.class_of(node.args[0])
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if (node.module or "").startswith("echomind_lib.db.models"):
            self.names |= {name.asname or name.name: name.name for name in node.names if name.name in CLASSES}

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            pairs = (
                zip(target.elts, node.value.elts, strict=False)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                else [(target, node.value)]
            )
            for name, value in pairs:
                if isinstance(name, ast.Name) and (found := self.class_of(value)):
                    self.names[name.id] = found
                elif isinstance(name, ast.Attribute):
                    self.assigned.add(name.attr)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if found := self.class_of(node.value):
            self._use(found, self.uses.reads, [node.attr])
        elif isinstance(node.ctx, ast.Load):
            self.loaded.add(node.attr)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        self.dicts.append({str(key.value) for key in node.keys if isinstance(key, ast.Constant)})
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        names = [keyword.arg for keyword in node.keywords if keyword.arg]
        for argument in node.args:
            if isinstance(argument, ast.Dict):
                names += [str(key.value) for key in argument.keys if isinstance(key, ast.Constant)]
            if isinstance(argument, (ast.List, ast.Tuple)):
                names += [str(one.value) for one in argument.elts if isinstance(one, ast.Constant)]
        if found := self.class_of(node.func):
            self._use(found, self.uses.writes, names)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"insert", "update"} and node.args and (found := self.class_of(node.args[0])):
            self.changed.add(found)
        target = self._target(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if target and name in {"values", "from_select", "on_conflict_do_update"}:
            self._use(target, self.uses.writes, names)
        keys = [keyword.value for keyword in node.keywords if keyword.arg == "index_elements"]
        if target and keys and isinstance(keys[0], ast.List):
            given = [str(key.value) for key in keys[0].elts if isinstance(key, ast.Constant)]
            self._use(target, self.uses.reads, given)
        if name in _ENTITY_CALLS or name.startswith("_"):
            self.entities |= {found for argument in node.args if (found := self.class_of(argument))}
        self.generic_visit(node)

    def _target(self, node: ast.AST) -> str | None:
        """Returns the class of the `update(…)` or `insert(…)` that a chain of calls begins with."""
        while isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                return self.class_of(node.args[0]) if node.func.id in {"update", "insert"} and node.args else None
            node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return None

    def _use(self, name: str, where: set[ColumnName], columns: list[str]) -> None:
        table = CLASSES[name]
        self.uses.tables.add(table.name)
        # Attributes whose names are reserved by SQLAlchemy end with `_`.
        where |= {(table.name, column.rstrip("_")) for column in columns if column.rstrip("_") in table.columns}


def of_source(tree: ast.Module) -> Uses:
    """Returns what a module's source uses."""
    source = _Source()
    source.visit(tree)
    uses = source.uses
    for name in source.entities:
        table = CLASSES[name]
        uses.tables.add(table.name)
        uses.reads |= {(table.name, column) for column in source.loaded & set(table.columns.keys())}
        uses.writes |= {(table.name, column) for column in source.assigned & set(table.columns.keys())}
    for name in source.changed:
        table = CLASSES[name]
        for keys in source.dicts:
            if keys <= set(table.columns.keys()):
                uses.writes |= {(table.name, column) for column in keys}
    texts = [text for _, text in lint_sql.strings(tree)]
    statements = [text for text in texts if lint_sql._STATEMENT.search(text) or lint_sql._NUMBERED.search(text)]
    around = {word for text in statements for word in re.findall(r"\w+", text)} & TABLES.keys()
    for text in statements:
        uses.add(of_text(text, around))
    return uses


def of_mapper(module: Any) -> Uses:
    """Returns what a mapper between a row and a message of the contract uses."""
    table = TABLES[module.ROW.__tablename__] if hasattr(module, "ROW") else None
    if table is None:
        return Uses()
    shown = set(table.columns.keys()) - set(module.INTERNAL)
    uses = Uses({(table.name, column) for column in shown}, set(), {table.name})
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name.startswith("to_columns"):
            keys = {
                str(key.value)
                for node in ast.walk(function)
                if isinstance(node, ast.Dict)
                for key in node.keys
                if isinstance(key, ast.Constant)
            }
            uses.writes |= {(table.name, key) for key in keys if key in table.columns}
        if isinstance(function, ast.FunctionDef) and function.name == "to_model":
            read = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute) and _is_row(node.value)}
            uses.reads |= {(table.name, name) for name in read if name in table.columns}
    return uses


def _is_row(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "row"
