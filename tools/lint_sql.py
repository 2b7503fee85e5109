"""Checks where SQL text stands: statements are SQLAlchemy Core or ORM, and the modules that need text are named here.

Core's columns are checked by the type checker and at import, and its parameters have names. A whole statement as text
stands only in the modules of `TEXT`, for `sqlalchemy.text` with named parameters; text with numbered parameters, which
asyncpg executes as it is, only in those of `RAW`. A fragment in a statement of Core may be text anywhere. An entry that
is not needed any more is an error, too.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("echomind", "echomind_lib", "services")
GENERATED = ("echomind_lib/pb/", "echomind_lib/models/", "echomind_lib/db/migrations/")

TEXT: dict[str, str] = {
    "echomind_lib/runs/queue.py": "a recursion whose every part is LATERAL to the one before",
    "echomind_lib/access/effective_readers.py": "a recursion up a tree of folders with LATERAL",
    "services/api/echomind_api/administration/storage_check.py": "around that of effective_readers.py",
    "services/ingestor/echomind_ingestor/sync/permissions.py": "recursions down and up a tree of folders with LATERAL",
    "echomind/local/embedded/postgres.py": "CREATE DATABASE, for which Core has no construct",
    "services/api/echomind_api/rows.py": "LOCK TABLE, for which Core has no construct",
    "echomind/cli/programs/traces.py": "reads SQLite files of another program, whose tables are looked up first",
    "echomind/cli/programs/open_webui.py": "reads the SQLite file of another program, whose columns are looked up",
    "echomind/cli/programs/sqlite_files.py": "looks up the tables and columns of SQLite files of other programs",
    "echomind/cli/programs/tables.py": "a temporary SQLite database of its own",
}
"""Modules with whole statements as text, and why: what Core cannot say, or says much less plainly."""

RAW: dict[str, str] = {
    "echomind_lib/db/migrate.py": "works before there is a schema, on a connection of its own, without the ORM",
}
"""Modules with text that asyncpg executes as it is, and why."""

_STATEMENT = re.compile(
    r"\b(SELECT\s.*\sFROM|SELECT\s+\w+\s*\(|INSERT\s+INTO|UPDATE\s+\w+\s.*\bSET|DELETE\s+FROM|TRUNCATE\s+\w+|"
    r"LOCK\s+TABLE|(CREATE|ALTER|DROP)\s+(TABLE|INDEX|DATABASE|ROLE|SCHEMA|EXTENSION|TYPE|TRIGGER))\b",
    re.DOTALL,
)
_NUMBERED = re.compile(r"\$\d|[=<>(]\s?\$\{")


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the strings of a module, each with its line, without its documentation; a value in one is `{}`."""
    nodes = list(ast.walk(tree))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            alone |= {id(part) for part in node.values}
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def found(tree: ast.Module) -> tuple[list[int], list[int]]:
    """Returns the lines with statements as text, and the lines with numbered parameters."""
    texts = list(strings(tree))
    return (
        [line for line, text in texts if _STATEMENT.search(text)],
        [line for line, text in texts if _NUMBERED.search(text)],
    )


def problems(path: str, tree: ast.Module) -> Iterator[str]:
    """Yields what is wrong with a module."""
    statements, numbered = found(tree)
    if path not in RAW:
        for line in numbered:
            yield f"{path}:{line}: SQL with numbered parameters: write the statement in Core, with named ones"
    if path not in RAW and path not in TEXT:
        for line in statements:
            yield f"{path}:{line}: a statement as text: write it in Core"
    if path in RAW and not numbered and not statements:
        yield f"{path}: has no SQL text any more: remove its entry from RAW in tools/lint_sql.py"
    if path in TEXT and not statements:
        yield f"{path}: has no statement as text any more: remove its entry from TEXT in tools/lint_sql.py"


def main() -> int:
    """Prints what is wrong, and returns how many things that are."""
    modules = {
        path.relative_to(ROOT).as_posix(): path for source in SOURCES for path in sorted((ROOT / source).rglob("*.py"))
    }
    wrong = [f"{path}: named in tools/lint_sql.py and not there" for path in (TEXT | RAW).keys() - modules.keys()]
    for name, path in modules.items():
        if not name.startswith(GENERATED):
            wrong += problems(name, ast.parse(path.read_bytes()))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
