"""The test modules of a new checkout, compiled by one worker each.

Every worker reads all of them, in the same order. The first time, when pytest rewrites their assertions, each worker
would do so for all, at the same moment: two fifths of the processor time of collecting.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir, try_makedirs

REWRITTEN = ("test_*.py", "conftest.py", "drivers/**/*.py", "factories/**/*.py")
"""What pytest rewrites, below the folder of the tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compiles this worker's share of what is not compiled, before it collects."""
    worker = getattr(session.config, "workerinput", None)
    if worker is not None and not sys.dont_write_bytecode:
        number = int(worker["workerid"].removeprefix("gw"))
        for module in modules_of(session.config)[number :: worker["workercount"]]:
            if not is_compiled(module):
                compile_module(module, session.config)


def modules_of(config: pytest.Config) -> list[Path]:
    """Returns the modules in the folders that are collected, in an order that is the same in each worker."""
    folders = [config.invocation_params.dir / argument for argument in config.args]
    return sorted({module for folder in folders for pattern in REWRITTEN for module in folder.rglob(pattern)})


def is_compiled(module: Path) -> bool:
    """Returns whether a module's compiled form is not older than it."""
    compiled = compiled_of(module)
    return compiled.exists() and compiled.stat().st_mtime >= module.stat().st_mtime


def compiled_of(module: Path) -> Path:
    """Returns where pytest looks for a module with rewritten assertions."""
    return get_cache_dir(module) / (module.stem + PYC_TAIL)


def compile_module(module: Path, config: pytest.Config) -> None:
    """Does what pytest does when it imports a module the first time, and does not import it."""
    compiled = compiled_of(module)
    try_makedirs(compiled.parent)
    source_hash, code = _rewrite_test(module, config)
    _write_pyc(config.stash[assertstate_key], code, source_hash, compiled)
