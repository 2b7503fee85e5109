"""Which tests share a worker when several run them."""

import ast

import pytest
from xdist.remote import Producer

from tests.drivers.distribution import TOGETHER, Distribution, place_of, pytest_xdist_make_scheduler, unit_of
from tests.paths import ROOT

JOURNEY = "tests/e2e/browser/test_chat.py::test_ask"
CHAOS = "tests/e2e/restarts/test_chaos.py::test_deaths"


def test_a_module_is_a_unit_and_so_are_all_who_use_the_running_product() -> None:
    module = "tests/unit/test_text.py"
    assert unit_of(f"{module}::test_a[x::y@z]") == unit_of(f"{module}::TestOf::test_b") == module
    assert unit_of(JOURNEY) == unit_of("tests/e2e/test_crash.py::test_answer") != unit_of(CHAOS)


def test_what_is_started_for_several_modules_is_started_by_one_worker() -> None:
    for unit, beginnings in TOGETHER.items():
        for beginning in beginnings:
            assert list(ROOT.glob(f"{beginning}*")), f"{unit}: there is no {beginning}"
            assert unit_of(f"{beginning}::test_a") == unit
    sources = {file: file.read_text() for file in (ROOT / "tests/integration/api").rglob("test_*.py")}
    users = [file for file, text in sources.items() if "process: Process" in text or "spare_" in text]
    assert users
    assert {unit_of(str(file.relative_to(ROOT))) for file in users} == {"processing"}


def test_the_longest_come_first() -> None:
    together = [f"{beginnings[0]}::test_a" for beginnings in TOGETHER.values()]
    others = [f"tests/{folder}/test_a.py::test_b" for folder in ("integration/db", "conformance", "unit")]
    positions = [place_of(test) for test in (JOURNEY, *together, CHAOS, *others)]
    assert positions == sorted(set(positions))


def test_no_test_of_the_other_workers_uses_the_running_product() -> None:
    """Which would start it twice."""
    trees = [ast.parse(file.read_text()) for file in (ROOT / "tests/e2e/restarts").rglob("test_*.py")]
    functions = [
        each for tree in trees for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    tests = [each for each in functions if each.name.startswith("test_")]
    assert tests
    assert [each.name for each in tests if {argument.arg for argument in each.args.args} & {"up", "http"}] == []


def test_it_takes_the_place_of_the_scopes_of_xdist(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, is_replaced in (("loadscope", True), ("load", False)):
        monkeypatch.setattr(pytestconfig.option, "dist", name)
        monkeypatch.setattr(pytestconfig.option, "tx", ["popen"])
        made = pytest_xdist_make_scheduler(pytestconfig, Producer("test", enabled=False))
        assert isinstance(made, Distribution) is is_replaced
