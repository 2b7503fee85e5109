"""Imports parts of packages, where importing the whole package wastes memory and time."""

import importlib
import importlib.util
import sys
from types import ModuleType


def import_parts(package: str, *modules: str) -> list[ModuleType]:
    """Imports modules of a package without executing the package's `__init__`.

    Args:
        package: The package, such as `minio`; it is replaced by an empty module meanwhile, unless loaded already.
        modules: The wanted modules, such as `api`. Their later lazy imports still load the whole package.

    Raises:
        ModuleNotFoundError: The package is not installed, or has no such module.
    """
    if package in sys.modules:
        return [importlib.import_module(f"{package}.{module}") for module in modules]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(f"No package named {package!r}", name=package)
    bare = ModuleType(package)
    bare.__path__ = spec.submodule_search_locations
    bare.__file__ = spec.origin
    sys.modules[package] = bare
    try:
        return [importlib.import_module(f"{package}.{module}") for module in modules]
    finally:
        del sys.modules[package]


def import_without(package: str, *left_out: str) -> ModuleType:
    """Imports a package with some modules excluded; names from these are None, or raise `ImportError`.

    Args:
        package: The package, such as `minio`. Unchanged if it is loaded already.
        left_out: Full names of modules to exclude, such as `minio.minioadmin`.

    Raises:
        ModuleNotFoundError: The package is not installed.
    """
    if package in sys.modules:
        return sys.modules[package]
    loaded = {name: sys.modules.pop(name) for name in left_out if name in sys.modules}
    sys.modules.update((name, _Nothing(name)) for name in left_out)
    try:
        return importlib.import_module(package)
    finally:
        for name in left_out:
            del sys.modules[name]
        sys.modules.update(loaded)


class _Nothing(ModuleType):
    """Placeholder for an excluded module."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):  # names that the import system looks up
            raise AttributeError(name)
