"""Packages that services import without parts that they never use."""

import subprocess
import sys

import pytest

# Entry modules with packages that they must not import: each costs megabytes in every process.
LEAN = {
    "echomind_api.main": {
        "rich",
        "Crypto",
        "cryptography",
        "numpy",
        "qdrant_client.http",
        "kreuzberg",
        "openvino",
        "opentelemetry.sdk",
        "opentelemetry.exporter",
        "scim2_models",
        "scim2_server",
        "mcp",
        "mcp_types",
    },
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
        "opentelemetry",
    },
    "echomind_ingestor.main, echomind_ingestor.worker": {"opentelemetry"},
    "echomind_lib.embeddings.service": {"rich", "aiohttp", "sqlalchemy", "asyncpg", "nats", "opentelemetry"},
    "echomind.local.embedded.qdrant_server": {"numpy", "sqlalchemy", "aiohttp", "qdrant_client.http"},
    "echomind.cli.app": {"aiohttp", "pydantic", "google.protobuf", "rich.console", "psutil"},
    # What a call of the command line needs.
    "echomind_lib.contract.client, echomind_lib.contract.rest_client, echomind_lib.models.public.llm_service": {
        *("fastapi", "starlette", "grpc", "structlog", "rich", "echomind_lib.models.public.run"),
    },
    "echomind_lib.db": {"asyncpg", "sqlalchemy", "alembic"},
    "echomind_lib.db.words": {"asyncpg", "sqlalchemy", "alembic"},
    "echomind_lib.db.paging": {"asyncpg", "sqlalchemy", "alembic"},
    "echomind_lib.db.database": {"sqlalchemy", "alembic"},
    "echomind_lib.db.migrate": {"sqlalchemy", "alembic"},
    "echomind_lib.db.models": {"asyncpg", "alembic"},
}


@pytest.mark.parametrize(("module", "heavy"), LEAN.items(), ids=LEAN)
def test_a_process_loads_only_what_it_uses(module: str, heavy: set[str]) -> None:
    # Each service measures itself; the command line and the database's modules need nothing of it.
    telemetry = "echomind_lib.telemetry, " if module.endswith((".main", ".service", "_server")) else ""
    code = f"import sys, {telemetry}{module}; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == ([], "")


def test_what_is_left_out_is_none_and_can_be_imported_later() -> None:
    code = (
        "from echomind_lib.process.lean_imports import import_without\n"
        "package = import_without('minio', 'minio.minioadmin')\n"
        "assert package.Minio and package.MinioAdmin is None\n"
        "from minio.minioadmin import MinioAdmin\n"
        "assert MinioAdmin.__module__ == 'minio.minioadmin'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
