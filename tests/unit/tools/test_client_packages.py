"""The client packages have the version of the contract, and the dependencies of what they are made from."""

import json
import tomllib

from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_typescript_package_is_of_the_same_version_and_parts() -> None:
    package = json.loads((ROOT / "clients/typescript/package.json").read_text(encoding="utf-8"))
    web = json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))
    assert package["version"] == PROJECT["version"]
    assert package["dependencies"].items() <= web["dependencies"].items()


def test_the_python_package_has_the_bounds_of_the_server() -> None:
    client = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = {"typing-extensions>=4.12"}  # of pydantic, there
    assert set(client["dependencies"]) - own <= set(PROJECT["dependencies"])
    assert client["requires-python"] == PROJECT["requires-python"]
