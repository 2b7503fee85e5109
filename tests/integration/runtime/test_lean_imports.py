"""Packages that services import without parts that they never use."""

import subprocess
import sys

import pytest

# Entry modules with packages that they must not import: each costs megabytes in every process.
LEAN = {
    "echomind_api.main": {"rich", "Crypto", "cryptography", "numpy", "qdrant_client.http", "kreuzberg", "openvino"},
    "echomind_agent.main": {
        "rich",
        "Crypto",
        "cryptography",
        "numpy",
        "mcp",
        "genai_prices",
        "trafilatura",
        "openvino",
        "fastapi",
    },
    "echomind_lib.embeddings.service": {"rich", "aiohttp", "sqlalchemy", "asyncpg", "nats"},
    "echomind.local.embedded.qdrant_server": {"numpy", "sqlalchemy", "aiohttp", "qdrant_client.http"},
}


@pytest.mark.parametrize(("module", "heavy"), LEAN.items(), ids=LEAN)
def test_a_process_loads_only_what_it_uses(module: str, heavy: set[str]) -> None:
    code = f"import sys, echomind_lib.telemetry, {module}; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_is_left_out_is_none_and_can_be_imported_later() -> None:
    code = (
        "from echomind_lib.lean_imports import import_without\n"
        "package = import_without('minio', 'minio.minioadmin')\n"
        "assert package.Minio and package.MinioAdmin is None\n"
        "from minio.minioadmin import MinioAdmin\n"
        "assert MinioAdmin.__module__ == 'minio.minioadmin'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
