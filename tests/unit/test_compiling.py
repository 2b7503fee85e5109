"""Several workers compile the test modules of a new checkout together, in the form that pytest reads."""

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import _read_pyc

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
