"""Helpers of tests have rooms of their own."""

import ast

from tests.paths import ROOT

SHARED = ("tests.conformance", "tests.drivers", "tests.factories", "tests.paths")


def test_tests_import_helpers_from_their_rooms_alone() -> None:
    strays = [
        f"{file.relative_to(ROOT)} imports {module}"
        for folder in ("tests", "bench", "tools")
        for file in ROOT.joinpath(folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        for module in _imported(node)
        if module.split(".")[0] == "tests" and not f"{module}.".startswith(tuple(f"{room}." for room in SHARED))
    ]
    assert strays == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        return [f"{node.module}.{name.name}" if node.module == "tests" else str(node.module) for name in node.names]
    return [name.name for name in node.names] if isinstance(node, ast.Import) else []
