"""An installation for streams: two replicas of the gateway, an agent in a process of its own, a scripted model."""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import asyncpg
import grpc
import pytest
import pytest_asyncio
from pydantic import SecretStr

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from echomind_api.main import serve
from echomind_lib.config import ApiSettings, Settings
from echomind_lib.config.settings import SecretsSettings
from tests.drivers.client import Client
from tests.drivers.installation import AgentProcess, Installation, scripted
from tests.drivers.model_server import ModelServer
from tests.drivers.servers import StartServer
from tests.drivers.stream_stage import stage
from tests.factories.settings import service_settings

__all__ = ["stage"]


@pytest.fixture(scope="session")
def stream_settings(
    tmp_path_factory: pytest.TempPathFactory,
    start_server: StartServer,
    server_folder: Path,
    postgres_server: PostgresServer,
    s3_server: S3Server,
) -> Settings:
    """Settings of all processes. NATS and Qdrant are their own, because other tests empty theirs."""
    folder = tmp_path_factory.mktemp("streams")
    nats = NatsServer(server_folder / "streams-nats", free_port(), secrets.token_urlsafe(16))
    qdrant = QdrantServer(server_folder / "streams-qdrant", free_port(), secrets.token_urlsafe(16))
    start_server(nats)
    start_server(qdrant)
    return service_settings(
        "streams",
        folder,
        postgres=postgres_server,
        nats=nats,
        qdrant=qdrant,
        s3=s3_server,
        secrets=SecretsSettings(keys=SecretStr("FkgTdpxh8GFQEyFPDVfBLXk8wW0ahGZSGFPvWuwOTeA=")),
        api=ApiSettings(http_port=0, grpc_port=0, guide=False),
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def installation(
    stream_settings: Settings, postgres_admin: asyncpg.Connection, start_server: StartServer
) -> AsyncIterator[Installation]:
    """Two replicas of the gateway and an agent, with the scripted model as default."""
    await postgres_admin.execute(f"CREATE DATABASE test_streams TEMPLATE {DATABASE}")
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(ModelServer())
        model.respond(scripted)
        http = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()))
        replicas = [await stack.enter_async_context(serve(stream_settings)) for _ in range(2)]
        clients = []
        for gateway in replicas:
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(gateway.grpc_address))
            clients.append(Client(gateway.http_url, channel, http, _owner_key(stream_settings), 1))
        llm = {"name": "Scripted", "provider": "LLM_PROVIDER_OPENAI", "modelId": "scripted", "endpoint": model.url}
        await clients[0].call("LlmService/CreateLlm", {"llm": llm | {"isDefault": True}})
        start_server(AgentProcess(stream_settings))
        yield Installation(stream_settings, replicas, clients, model, replicas[0].parts.dependencies.database.pool)
    await postgres_admin.execute("DROP DATABASE test_streams WITH (FORCE)")


def _owner_key(settings: Settings) -> str:
    return Path(settings.data_dir, "owner-api-key").read_text().strip()
