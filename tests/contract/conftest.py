"""The sample contract, compiled the way that the product's own is."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.paths import ROOT

TEMPLATE = {
    "version": "v2",
    "plugins": [
        {
            "protoc_builtin": "python",
            "protoc_path": ["python", "-m", "grpc_tools.protoc"],
            "out": "sample_pb",
            "exclude_types": ["buf.validate"],
        },
        {
            "local": ["python", "-m", "tools.pydantic_plugin"],
            "out": "sample_models",
            "opt": ["root=none", "models=sample_models", "pb=sample_pb"],
            "strategy": "all",
        },
    ],
}


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The modules of the sample: `models`, and `pb` with its messages."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(ROOT / "tests/contract/sample", folder / "proto/sample")
    shutil.copytree(ROOT / "third_party/proto", folder / "vendor")
    (folder / "buf.yaml").write_text("version: v2\nmodules: [{path: proto}, {path: vendor}]\n")
    scripts = Path(sys.executable).parent
    command: list[str | Path] = [scripts / "buf", "generate", folder / "proto", "--template", json.dumps(TEMPLATE)]
    subprocess.run(
        [*command, "--output", folder / "out"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
        check=True,
    )
    sys.path.insert(0, str(folder / "out"))
    try:
        yield SimpleNamespace(models=_module("sample_models.sample"), pb=_module("sample_pb.sample.v1.sample_pb2"))
    finally:
        sys.path.remove(str(folder / "out"))


def _module(name: str) -> ModuleType:
    return import_module(name)
