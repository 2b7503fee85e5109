"""What is made of the modules of a new checkout, by one worker for each module.

Every worker reads all of them, in the same order. The first time, when pytest rewrites assertions and Hypothesis looks
for constants to draw, each worker would do so for all, at the same moment: half of the processor time of collecting.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir, try_makedirs
from hypothesis.configuration import storage_directory
from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

T = TypeVar("T")
HAS_NO_CONSTANTS = pytest.StashKey[bool]()
"""Whether Hypothesis has kept none in this checkout."""
REWRITTEN = ("test_*.py", "conftest.py", "drivers/**/*.py", "factories/**/*.py")
"""What pytest rewrites, below the folder of the tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compiles this worker's share of what is not compiled, before it collects."""
    session.config.stash[HAS_NO_CONSTANTS] = not storage_directory("constants", intent_to_write=False).path.exists()
    if not sys.dont_write_bytecode:
        for module in share_of(session.config, modules_of(session.config)):
            if not is_compiled(module):
                compile_module(module, session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Keeps the constants of this worker's share of the product, before Hypothesis looks for those of all of it."""
    if config.stash.get(HAS_NO_CONSTANTS, False):
        for module in share_of(config, modules_with_constants()):
            constants_from_module(module)


def share_of(config: pytest.Config, modules: list[T]) -> list[T]:
    """Returns what one of several workers does of what all of them have; a process without others has no share."""
    worker = getattr(config, "workerinput", None)
    return [] if worker is None else modules[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]


def modules_with_constants() -> list[ModuleType]:
    """Returns the modules of which Hypothesis keeps the constants, in an order that is the same in each worker."""
    imported = [module for _, module in sorted(sys.modules.items())]
    return [module for module in imported if (file := getattr(module, "__file__", "")) and is_local_module_file(file)]


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
