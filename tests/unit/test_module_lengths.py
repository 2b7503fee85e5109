"""No module that somebody writes is longer than a reader can hold in view."""

from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

MAX_LINES = 400
ROOTS = ("bench", "clients", "echomind", "echomind_lib", "examples", "services", "tests", "tools", "web/src")
SUFFIXES = {".css", ".mjs", ".py", ".ts", ".tsx"}
GENERATED = ("echomind_lib/models/internal", "echomind_lib/models/public", "echomind_lib/pb", "web/src/gen")
FOREIGN = {"dist", "node_modules", "peers"}
"""Folders with code of others, made for their packages, or built, as tests of the clients do."""


def modules() -> Iterator[tuple[str, Path]]:
    """Yields the modules that are written by hand, by their path in the repository."""
    for root in ROOTS:
        for path in (ROOT / root).rglob("*"):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and not name.startswith(GENERATED) and not FOREIGN & set(path.parts):
                yield name, path


def test_no_module_is_too_long() -> None:
    lengths = {name: len(path.read_text("utf-8").splitlines()) for name, path in modules()}
    assert len(lengths) > 1000
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}
