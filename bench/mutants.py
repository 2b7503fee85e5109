"""Small faults of Python code and of the SQL in it, as replacements of a piece of a line."""

import ast
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Final

COMPARISONS: Final = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
NAMES: Final = {
    "is_": "is_not",
    "is_not": "is_",
    "in_": "not_in",
    "not_in": "in_",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "asc": "desc",
    "desc": "asc",
}
SQL: Final = {
    " AND ": " OR ",
    " OR ": " AND ",
    " = ": " <> ",
    " <> ": " = ",
    " < ": " <= ",
    " > ": " >= ",
    " <= ": " < ",
    " >= ": " > ",
    "IS NULL": "IS NOT NULL",
    "IS NOT NULL": "IS NULL",
    "NOT EXISTS": "EXISTS",
    " DESC": "",
}
CONDITIONS: Final = {"and_", "or_", "where", "order_by", "coalesce", "outerjoin", "values"}
"""Calls of which an argument may be left out."""
_IS_SQL: Final = re.compile(r"\b(SELECT|WHERE|UPDATE|INSERT|DELETE|AND|ORDER BY)\b")


@dataclass(frozen=True)
class Mutant:
    """One fault: at an offset of a file's text, `old` becomes `new`."""

    path: str
    line: int
    context: str
    """The text that it is in, by which it is found again when the file has changed elsewhere."""
    offset: int
    """Of `old` in the context, in characters."""
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {' '.join(self.old.split())[:60]!r} -> {self.new[:60]!r}"

    def applied_to(self, text: str) -> str:
        """Returns the file with the fault.

        Raises:
            ValueError: The code that it is in has changed.
        """
        places = [match.start() for match in re.finditer(re.escape(self.context), text)]
        if not places:
            raise ValueError(f"{self}: the code is not there any more")
        place = min(places, key=lambda start: abs(text.count("\n", 0, start) + 1 - self.line)) + self.offset
        return text[:place] + self.new + text[place + len(self.old) :]


def draw(root: Path, folders: Sequence[str], seed: int, count: int) -> list[Mutant]:
    """Returns mutants at random, as many of each folder; the same for a seed and the same code."""
    chance = random.Random(seed)
    drawn: list[Mutant] = []
    for number, folder in enumerate(folders):
        share = count * (number + 1) // len(folders) - count * number // len(folders)
        possible = [
            mutant for file in sorted((root / folder).glob("*.py")) for mutant in mutants(file.relative_to(root), file)
        ]
        chance.shuffle(possible)
        drawn += islice((mutant for mutant in possible if _parses(root, mutant)), share)
    return drawn


def mutants(name: Path, file: Path) -> Iterator[Mutant]:
    """Returns all mutants of a file, in the order of its text; some are no Python."""
    text = file.read_text(encoding="utf-8")
    starts = [0]
    data = text.encode()
    for piece in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(piece))

    def place(line: int, column: int) -> int:
        return len(data[: starts[line - 1] + column].decode())

    found = set()
    for node in _code(ast.parse(text)):
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or 0, node.end_col_offset or 0)
        for offset, old, new in _changes(node, text, start, end, place):
            found.add((offset, old, new))
    for offset, old, new in sorted(found):
        first = text.rfind("\n", 0, offset) + 1
        last = text.find("\n", offset + len(old))
        line = text.count("\n", 0, offset) + 1
        yield Mutant(str(name), line, text[first:last], offset - first, old, new)


def _code(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Returns what runs: no docstrings, annotations, imports and texts of errors."""
    for child in ast.iter_child_nodes(tree):
        inside: list[ast.expr | ast.stmt]
        match child:
            case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Raise() | ast.arg():
                continue
            case ast.AnnAssign():
                inside = [child.value] if child.value is not None else []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inside = [*child.args.defaults, *filter(None, child.args.kw_defaults), *child.body]
            case ast.ClassDef():
                inside = [*child.body]
            case _:
                if isinstance(child, ast.expr | ast.stmt):
                    yield child
                yield from _code(child)
                continue
        for part in inside:
            yield from _code(ast.Module([part], []) if isinstance(part, ast.stmt) else ast.Expression(part))


Change = tuple[int, str, str]


def _changes(node: ast.AST, text: str, start: int, end: int, place: Callable[[int, int], int]) -> Iterator[Change]:
    """Returns the faults of one node, whose text is from `start` to `end`: offset, old and new text."""

    def between(left: ast.expr, right: ast.expr) -> tuple[int, str]:
        begins = place(left.end_lineno or 0, left.end_col_offset or 0)
        return begins, text[begins : place(right.lineno, right.col_offset)]

    whole = text[start:end]
    match node:
        case ast.Compare():
            for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
                begins, gap = between(left, right)
                old, new = COMPARISONS[type(operator)]
                yield begins, gap, gap.replace(old, new, 1)
        case ast.BoolOp():
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            begins, gap = between(*node.values[:2])
            yield begins, gap, gap.replace(old, new, 1)
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            old, new = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
            begins, gap = between(node.left, node.right)
            yield begins, gap, gap.replace(old, new, 1)
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            yield start, whole, text[place(node.operand.lineno, node.operand.col_offset) : end]
        case ast.Constant(value=bool()):
            yield start, whole, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield start, whole, f"({whole} + 1)"
        case ast.Constant(value=str()) | ast.JoinedStr() if _IS_SQL.search(whole):
            for old, new in SQL.items():
                yield from ((start + found.start(), old, new) for found in re.finditer(re.escape(old), whole))
        case ast.Name(id="and_" | "or_"):
            # The file need not import the other one.
            yield start, whole, f"__import__('sqlalchemy').{'or_' if node.id == 'and_' else 'and_'}"
        case ast.Name() if node.id in NAMES:
            yield start, whole, NAMES[node.id]
        case ast.Attribute() if node.attr in NAMES:
            yield end - len(node.attr), node.attr, NAMES[node.attr]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in CONDITIONS:
            for first, second in pairwise(node.args):
                begins = place(first.lineno, first.col_offset)
                yield begins, text[begins : place(second.lineno, second.col_offset)], ""
        case ast.If() | ast.IfExp():
            begins = place(node.test.lineno, node.test.col_offset)
            test = text[begins : place(node.test.end_lineno or 0, node.test.end_col_offset or 0)]
            yield begins, test, f"not ({test})"
        case ast.Return(value=ast.expr()) if whole != "return None":
            yield start, whole, "return None"
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield start, whole, "pass"


def _parses(root: Path, mutant: Mutant) -> bool:
    try:
        ast.parse(mutant.applied_to((root / mutant.path).read_text(encoding="utf-8")))
    except SyntaxError:
        return False
    return True
