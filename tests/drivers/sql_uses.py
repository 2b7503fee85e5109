"""Which tables and columns the services' code uses: found in statements, in uses of mapped classes, and in text.

A column of the list of an INSERT or of the left side of a SET is written. Read is what a statement selects, returns,
compares or sorts by, the key of a conflict included; what a row's code takes from it; and what a mapper shows.

- A `Query` or `Command` is a tree of SQLAlchemy, in which columns stand by themselves. A column that it selects only
  for a field of its rows that no code takes from anything is not read.
- Statements that are built in functions, and rows of the ORM, are found in the source: attributes of mapped classes,
  names given to `values(…)` and to a class, and, in a module that loads a class, attributes of what can be its rows.
  Columns that stand as keys of a dictionary are written, and those that only give their types to the rows of a JSON
  parameter, or stand in a list of columns that no statement selects, are not read.
- A mapper between rows and the contract reads the columns of its class that are not internal to it, and those that its
  `to_model` takes from the row.
- In SQL text a column is a word of a text that names its table.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from typing import Any, get_origin

from sqlalchemy import Table

import echomind_agent
import echomind_api
import echomind_ingestor
import echomind_lib
from echomind_lib import mappers
from echomind_lib.db.models import Base
from echomind_lib.db.statements import Command, Query
from echomind_lib.models import public
from tests.drivers.sql_statements import TABLES, ColumnName, Uses, of_query, of_statement, of_text
from tests.factories.mapped import MAPPED
from tools import lint_sql

PACKAGES = (echomind_lib, echomind_api, echomind_agent, echomind_ingestor)
CLASSES: dict[str, Table] = {mapper.class_.__name__: mapper.local_table for mapper in Base.registry.mappers}  # type: ignore[misc]
_ROW_OF_MODEL = {noun.model.__name__: noun.row.__name__ for noun in MAPPED.values()}
_SCHEMA = ("echomind_lib.db.models", "echomind_lib.db.migrations")
_ENTITY_CALLS = {"select", "get", "get_one", "returning", "scalar", "scalars", "refresh"}


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
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules()}
    taken = frozenset().union(*(taken_attributes(tree) for tree in trees.values()))
    for name, tree in trees.items():
        uses = found[name] = Uses()
        uses.add(of_source(tree))
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, Query):
                uses.add(of_query(value, taken))
            elif isinstance(value, Command):
                uses.add(of_statement(value._core))
            elif (statement := _of_cached(value)) is not None:
                uses.writes |= of_query(statement, taken).writes
        if name.startswith(f"{mappers.__name__}."):
            uses.add(of_mapper(importlib.import_module(name)))
    return found


def _of_cached(value: object) -> Query[Any] | None:
    """Returns the statement that a cached function makes by default, if it needs no arguments."""
    if not isinstance(value, _lru_cache_wrapper):
        return None
    signature = inspect.signature(value)
    if any(parameter.default is parameter.empty for parameter in signature.parameters.values()):
        return None
    made = value() if get_origin(signature.return_annotation) is Query else None
    return made if isinstance(made, Query) else None


# -- statements ----------------------------------------------------------------------------------------------------


def taken_attributes(tree: ast.Module) -> frozenset[str]:
    """Returns the names of the attributes that a module takes from anything."""
    nodes = ast.walk(tree)
    return frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


# -- text ----------------------------------------------------------------------------------------------------------


# -- source --------------------------------------------------------------------------------------------------------
class _Source(ast.NodeVisitor):
    """Uses of mapped classes in a module."""

    def __init__(self) -> None:
        self.uses = Uses()
        self.names: dict[str, str] = {}
        """Classes by the names that they have in the module."""
        self.entities: set[str] = set()
        self.loaded: set[str] = set()
        """Attributes that are read of something that can be a row."""
        self.others: set[str] = {"self"}
        """Names of what is no row: parameters of other types."""
        self.rows: dict[str, str] = {}
        """Parameters that are rows, and their classes."""
        self.lists: dict[str, ast.AST] = {}
        """Lists of columns by their names."""
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
                elif isinstance(name, ast.Name) and self._is_list_of_columns(value):
                    self.lists[name.id] = value
                    return
                elif isinstance(name, ast.Attribute):
                    self.assigned.add(name.attr)
        self.generic_visit(node)

    def _is_list_of_columns(self, node: ast.AST) -> bool:
        return isinstance(node, (ast.Tuple, ast.List)) and all(
            isinstance(each, ast.Attribute) and self.class_of(each.value) for each in node.elts
        )

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = self.others, self.rows
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        types = {argument.arg: argument.annotation for argument in given if argument.annotation}
        self.others = (self.others - types.keys()) | {name for name, type_ in types.items() if not self._is_row(type_)}
        self.rows = self.rows | {name: found for name, type_ in types.items() if (found := self.class_of(type_))}
        self.generic_visit(node)
        self.others, self.rows = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name is that of the syntax

    def _is_row(self, annotation: ast.expr) -> bool:
        """Returns whether what is annotated so can be, or hold, rows: it names a mapped class, `Row` or `Any`."""
        names = (node for node in ast.walk(annotation) if isinstance(node, (ast.Name, ast.Attribute)))
        return any(self.class_of(node) or getattr(node, "id", "") in {"Row", "Any"} for node in names)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if found := self.class_of(node.value):
            self._use(found, self.uses.reads, [node.attr])
        elif isinstance(node.ctx, ast.Load) and not (isinstance(node.value, ast.Name) and node.value.id in self.others):
            self.loaded.add(node.attr)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        self.dicts.append({str(key.value) for key in node.keys if isinstance(key, ast.Constant)})
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Attribute) and (found := self.class_of(key.value)):
                self._use(found, self.uses.writes, [key.attr])
            elif key:
                self.visit(key)
            self.visit(value)

    def visit_Call(self, node: ast.Call) -> None:
        names = [keyword.arg for keyword in node.keywords if keyword.arg]
        for argument in node.args:
            if isinstance(argument, ast.Dict):
                names += [str(key.value) for key in argument.keys if isinstance(key, ast.Constant)]
            if isinstance(argument, (ast.List, ast.Tuple)):
                names += [str(each.value) for each in argument.elts if isinstance(each, ast.Constant)]
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
        if name == "from_row":
            self._read_by_model(node)
        if name == "json_rows":  # of the columns it takes the names and types
            return
        for argument in node.args:
            listed = argument.value if isinstance(argument, ast.Starred) else argument
            if isinstance(listed, ast.Name) and listed.id in self.lists:
                self.generic_visit(self.lists[listed.id])
        self.generic_visit(node)

    def _read_by_model(self, node: ast.Call) -> None:
        """Notes what `Model.from_row(row)` reads of a parameter `row` of a mapped class: the fields of the model.

        Of another row, it is the class whose model it is, and its table is read elsewhere.
        """
        assert isinstance(node.func, ast.Attribute)
        row = self.rows.get(node.args[0].id) if node.args and isinstance(node.args[0], ast.Name) else None
        written = node.func.value
        name = str(getattr(written, "attr", None) or getattr(written, "id", ""))  # `public.Model` or `Model`
        model = getattr(public, name, None)
        if row and model:
            self._use(row, self.uses.reads, list(model.model_fields))
        elif model and (shown := _ROW_OF_MODEL.get(name)):
            table = CLASSES[shown]
            self.uses.reads |= {(table.name, column) for column in model.model_fields if column in table.columns}

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
    noun = MAPPED.get(module.__name__.rpartition(".")[2])
    if noun is None:
        return Uses()
    table = TABLES[noun.row.__tablename__]
    shown = set(table.columns.keys()) - noun.internal.keys()
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
