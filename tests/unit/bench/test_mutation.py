"""Faults that are tried against the tests."""

from pathlib import Path

from bench.mutants import mutants
from bench.mutation import NEAREST, TESTS
from tests.drivers.tables import for_each
from tests.paths import ROOT


@for_each("paths", {**NEAREST, **TESTS}.values())
def test_the_tests_of_each_folder_exist(paths: str) -> None:
    assert [path for path in paths.split() if not (ROOT / "tests/integration" / path).exists()] == []


def test_every_fault_changes_the_code(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text("def first(a, b):\n    if a is None:\n        return None\n    return a + b\n")
    found = list(mutants(Path("code.py"), file))
    assert {mutant.new for mutant in found} >= {"return None", "not (a is None)"}
    assert all(mutant.old != mutant.new for mutant in found)
