"""Helpers of tests have rooms of their own."""

import re
import sys

from tests.drivers.lazily import Lazily
from tests.paths import ROOT

SHARED = ("tests.conformance", "tests.drivers", "tests.factories", "tests.paths")


def test_tests_import_helpers_from_their_rooms_alone() -> None:
    strays = [
        f"{file.relative_to(ROOT)} imports {module}"
        for folder in ("tests", "bench", "tools")
        for file in ROOT.joinpath(folder).rglob("*.py")
        for module in _imported(file.read_text())
        if module.split(".")[0] == "tests" and not f"{module}.".startswith(tuple(f"{room}." for room in SHARED))
    ]
    assert strays == []


def _imported(text: str) -> list[str]:
    assert not re.search(r"^\s*from \.", text, re.MULTILINE), "imports are absolute"
    found = re.findall(r"^\s*(?:from (tests[\w.]*) import \(?\s*(\w+)|import (tests[\w.]*))", text, re.MULTILINE)
    return [plain or (f"{module}.{name}" if module == "tests" else module) for module, name, plain in found]


def test_a_library_is_imported_when_it_is_used_and_not_when_pytest_looks_for_fixtures() -> None:
    name = "wave"
    sys.modules.pop(name, None)
    library = Lazily(name)
    for asked in ("__wrapped__", "_mock_name", "_pytestfixturefunction"):
        assert not hasattr(library, asked)
    assert name not in sys.modules
    assert library.Error is sys.modules[name].Error
