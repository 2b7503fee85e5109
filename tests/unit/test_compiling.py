"""Several workers do together what pytest and Hypothesis do with the modules of a new checkout."""

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import _read_pyc
from hypothesis import configuration
from hypothesis.internal.constants_ast import constants_from_module

from tests.drivers import compiling
from tests.drivers.compiling import compiled_of, is_compiled, modules_of, pytest_collection


def test_each_worker_compiles_its_share_of_what_is_not_compiled(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = [tmp_path / name for name in ("conftest.py", "drivers/clock.py", "test_a.py", "test_b.py")]
    (tmp_path / "drivers").mkdir()
    for module in (*modules, tmp_path / "drawing.py"):
        module.write_text("def test_it() -> None:\n    assert 1 + 1 == 2\n")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(request.config, "args", [str(tmp_path), f"{modules[2]}::test_it"])

    assert set(modules_of(request.config)) == set(modules)
    for worker, compiled in (("gw1", {"clock.py", "test_b.py"}), ("gw0", {module.name for module in modules})):
        given = {"workerid": worker, "workercount": 2}
        monkeypatch.setattr(request.config, "workerinput", given, raising=False)
        pytest_collection(request.session)
        assert {module.name for module in modules if is_compiled(module)} == compiled
    assert all(_read_pyc(module, compiled_of(module)) for module in modules)


def test_each_worker_keeps_the_constants_of_its_share_where_there_are_none(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = compiling.modules_with_constants()
    assert {module.__name__.partition(".")[0] for module in modules} >= {"echomind", "echomind_lib"}
    monkeypatch.setattr(compiling, "modules_with_constants", lambda: modules[:5])
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", tmp_path)
    constants_from_module.cache_clear()  # of modules that other tests of this process have looked at
    for worker, is_new, kept in (("gw1", False, 0), ("gw1", True, 2), ("gw0", True, 5)):
        monkeypatch.setattr(request.config, "workerinput", {"workerid": worker, "workercount": 2}, raising=False)
        monkeypatch.setitem(request.config.stash._storage, compiling.HAS_NO_CONSTANTS, is_new)
        compiling.pytest_collection_modifyitems(request.config)
        assert len(list(tmp_path.glob("constants/*"))) == kept
