"""Errors of SQLAlchemy are logged, so they must not contain people's data or keys."""

import ast
from collections.abc import Iterator

from tests.paths import ROOT

FOLDERS = ("echomind", "echomind_lib", "services", "db-schema")


def engines() -> Iterator[tuple[str, ast.Call]]:
    """Every place where the product makes an engine."""
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "create_" in text and "engine" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {
                "create_engine",
                "create_async_engine",
            }:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_every_engine_hides_parameters() -> None:
    found = dict(engines())
    assert len(found) >= 3
    for line, call in found.items():
        hidden = {keyword.arg: keyword.value for keyword in call.keywords}.get("hide_parameters")
        assert isinstance(hidden, ast.Constant), line
        assert hidden.value is True, line
