"""Makes backups and restores them, into servers of their own."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind.backup.backup import Summary, write_backup
from echomind.backup.restore import restore_servers, verify
from echomind.backup.servers import Servers
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind_lib.config import S3Settings
from echomind_lib.vectors import VectorIndex
from tests.drivers.servers import StartServer, database_url

KEY = "dGVzdCBrZXkgb2YgdGhlIGJhY2t1cHMgb2YgdGVzdHM="


@pytest.fixture
def source(postgres_url: str, s3_settings: S3Settings, qdrant_url: str, qdrant_api_key: str) -> Servers:
    return Servers(postgres_url, s3_settings, qdrant_url, qdrant_api_key, KEY)


@pytest.fixture(scope="session")
def other_qdrant(server_folder: Path, start_server: StartServer) -> QdrantServer:
    server = QdrantServer(server_folder / "other-vectors", free_port(), secrets.token_urlsafe(16))
    start_server(server)
    return server


@pytest_asyncio.fixture(loop_scope="session")
async def target(
    postgres_server: PostgresServer,
    postgres_admin: asyncpg.Connection,
    s3_settings: S3Settings,
    other_qdrant: QdrantServer,
) -> AsyncIterator[Servers]:
    """Empty servers."""
    name = f"restored_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name}")
    s3 = s3_settings.model_copy(update={"bucket": f"restored-{secrets.token_hex(6)}"})
    yield Servers(database_url(postgres_server, name), s3, other_qdrant.url, other_qdrant.api_key, KEY)
    await postgres_admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    vectors = VectorIndex(other_qdrant.url, other_qdrant.api_key)
    for collection in await vectors.collections():
        await vectors._call(vectors._collections.Delete, restore_deletion(collection), 10)
    await vectors.close()


def restore_deletion(collection: str) -> Any:
    from echomind_lib.vectors.qdrant_messages import pb

    return pb.DeleteCollection(collection_name=collection)


async def backed_up(source: Servers, file: Path, **options: Any) -> Summary:
    with file.open("wb") as stream:
        return await write_backup(source, stream, report=lambda _: None, **options)


async def restored(file: Path, target: Servers) -> None:
    await restore_servers(verify(file, []), target, lambda _: None)


async def points(servers: Servers, collection: str) -> dict[str, Any]:
    """Returns all points of a collection by id, with vectors and payload."""
    from echomind_lib.vectors.qdrant_messages import pb

    vectors = VectorIndex(servers.qdrant_url, servers.qdrant_key)
    found: dict[str, Any] = {}
    async for page in vectors.copies(collection):
        found |= {point.id.uuid: point for point in pb.UpsertPoints.FromString(page).points}
    await vectors.close()
    return found
