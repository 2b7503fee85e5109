"""Puts the client and the contract's generated code into its wheel.

The package `echomind_lib` of the server has the models, the services and the transport. The client imports a part of
it, which is found by following its imports and becomes `echomind_client.contract`: under a name of its own, so that a
program may have both installed.
"""

import ast
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent.parent
SOURCE: Final = HERE / "src" / "echomind_client"
TARGET: Final = HERE / "build" / "echomind_client"
_LIBRARY: Final = "echomind_lib"
_NAME: Final = re.compile(rf"\b{_LIBRARY}\b")
_WHOLE: Final = ("echomind_lib/models/public", "echomind_lib/pb/echomind/public")
"""Folders of which every module is taken, as they are imported by name when they are used."""


def version() -> str:
    """Returns the version of the server whose contract this is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


class ContractHook(BuildHookInterface[Any]):
    """Writes the modules before the wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's interface
        """Writes the client with what it needs."""
        write_package(TARGET)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Removes the written package."""
        shutil.rmtree(TARGET.parent)


def write_package(target: Path) -> None:
    """Writes the package `echomind_client` into a folder."""
    shutil.rmtree(target, ignore_errors=True)
    own = {path: target / path.name for path in SOURCE.iterdir() if path.is_file()}
    contract = {path: target / "contract" / path.relative_to(ROOT / _LIBRARY) for path in needed(list(own))}
    for path, copy in sorted((own | contract).items()):
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_NAME.sub("echomind_client.contract", path.read_text(encoding="utf-8")), encoding="utf-8")


def needed(own: list[Path]) -> set[Path]:
    """Returns the modules that the client's own import, directly or not, with their packages and stubs."""
    waiting = [file for path in own if path.suffix == ".py" for name in _imports(path) for file in _files(name)]
    waiting += [path for folder in _WHOLE for path in (ROOT / folder).rglob("*.py") if not path.stem.endswith("_grpc")]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += [each for each in (path.with_suffix(".pyi"), path.parent / "__init__.py") if each.exists()]
        if path.suffix == ".py":
            waiting += [each for name in _imports(path) for each in _files(name)]
    return found


def _files(name: str) -> list[Path]:
    """Returns the file of a module or package; none for what is no module."""
    base = ROOT.joinpath(*name.split("."))
    return [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in names if name.split(".")[0] == _LIBRARY}
