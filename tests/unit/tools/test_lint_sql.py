"""The rule for SQL text finds it, and nothing else."""

import ast

import pytest

from tests.drivers.tables import for_each
from tools import lint_sql


def wrong(source: str, path: str = "echomind_lib/somewhere.py") -> list[str]:
    return list(lint_sql.problems(path, ast.parse(source)))


@for_each(
    "source",
    [
        'ROW = "SELECT id FROM users WHERE id = $1"',
        'ROW = f"id = ${place}"',
        'pool.fetch("SELECT pg_advisory_xact_lock(1)")',
        'text("INSERT INTO users (id) VALUES (:id)")',
        'text("""UPDATE users\n SET id = :id""")',
        'session.execute(text("LOCK TABLE llms IN SHARE ROW EXCLUSIVE MODE"))',
    ],
)
def test_statements_and_numbered_parameters_are_found(source: str) -> None:
    assert wrong(source)


@for_each(
    "source",
    [
        '"""SELECT id FROM users WHERE id = $1: a module\'s documentation."""',
        'def read():\n    """Updates a row: UPDATE users SET x = $1."""',
        'Index("idx_users_live", "id", postgresql_where=text("deleted_date IS NULL"))',
        'print("Select a file from the list, and update settings. It costs 5 $.")',
        'print(f"{name}: {tokens} tokens, ${cost:.4f}")',
        "select(User.id).where(User.id == bindparam('id'))",
    ],
)
def test_prose_fragments_and_core_are_not(source: str) -> None:
    assert not wrong(source)


def test_a_named_module_may_have_text_and_only_with_named_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lint_sql.TEXT, "named.py", "for the test")
    monkeypatch.setitem(lint_sql.RAW, "raw.py", "for the test")
    assert not wrong('text("DELETE FROM users WHERE id = :id")', "named.py")
    assert wrong('text("DELETE FROM users WHERE id = $1")', "named.py")
    assert not wrong('execute("DELETE FROM users WHERE id = $1")', "raw.py")


@pytest.mark.parametrize("level", ["TEXT", "RAW"])
def test_an_entry_that_is_not_needed_is_an_error(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setitem(getattr(lint_sql, level), "clean.py", "for the test")
    assert wrong("select(User.id)", "clean.py")
