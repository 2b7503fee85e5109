"""What the tests of the agent share: workers in this process, on real servers, against a scripted model server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.fernet import Fernet
from pydantic import SecretStr

from echomind_agent.llms.models import ChatModels
from echomind_agent.mcp import McpServers, Programs
from echomind_lib.config import McpSettings, NatsSettings, PostgresSettings, QdrantSettings, S3Settings, Settings
from echomind_lib.config.settings import EmbeddingSettings, FetchSettings, SecretsSettings
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.llms import open_model_session
from echomind_lib.objects import ObjectStore
from echomind_lib.retrieval import Retriever
from echomind_lib.secrets import Secrets
from echomind_lib.vectors import VectorIndex
from tests.drivers.agent import Agent
from tests.drivers.death import death
from tests.drivers.knowledge import learned
from tests.drivers.memories import memories
from tests.drivers.model_server import ModelServer
from tests.drivers.replica import replica
from tests.drivers.site import fetcher, site
from tests.drivers.stack import embedding_url, extractor, stack
from tests.drivers.summaries import Sessions
from tests.drivers.webhook_receiver import receiver
from tests.drivers.wire import LossyBus
from tests.factories.rows import Rows

__all__ = [
    "death",
    "embedding_url",
    "extractor",
    "fetcher",
    "learned",
    "memories",
    "receiver",
    "replica",
    "site",
    "stack",
]


@pytest_asyncio.fixture(loop_scope="session")
async def agent(
    database: Database,
    postgres_url: str,
    rows: Rows,
    nats_url: str,
    model_server: ModelServer,
    embedding_url: str,
    qdrant_url: str,
    qdrant_api_key: str,
    s3_settings: S3Settings,
) -> AsyncIterator[Agent]:
    """An installation whose default model is the scripted server. No worker runs yet."""
    await rows.use_model_at(model_server.url)
    bus = await LossyBus.connect(nats_url, "test")
    embeddings = EmbeddingClient(embedding_url)
    async with open_model_session() as http:
        secrets = Secrets([Fernet.generate_key().decode()])
        mcp = McpServers(secrets, Programs(McpSettings(), Path("/no/data")))
        models, vectors = ChatModels(http, secrets, embeddings), VectorIndex(qdrant_url, qdrant_api_key)
        objects = ObjectStore(s3_settings)
        retriever = Retriever(database, vectors, embeddings, objects)
        agent = Agent(database, postgres_url, bus, rows, models, mcp, vectors, embeddings, retriever)
        await agent.listen()
        yield agent
        await agent.close()
        await mcp.close()
        await vectors.close()
        await objects.close()
    await embeddings.close()
    await bus.close()


@pytest_asyncio.fixture(loop_scope="session")
async def sessions(database: Database, rows: Rows, nats_url: str, model_server: ModelServer) -> AsyncIterator[Sessions]:
    """An installation whose default model is the scripted server. No worker runs yet."""
    await rows.use_model_at(model_server.url)
    bus = await LossyBus.connect(nats_url, "test")
    embeddings = EmbeddingClient("127.0.0.1:1")
    async with open_model_session() as http:
        made = Sessions(
            database.pool, bus, ChatModels(http, Secrets([Fernet.generate_key().decode()]), embeddings), rows.user_id
        )
        yield made
        await made.close()
    await embeddings.close()
    await bus.close()


@pytest.fixture
def process_settings(
    postgres_url: str,
    nats_url: str,
    qdrant_url: str,
    qdrant_api_key: str,
    s3_settings: S3Settings,
    embedding_url: str,
    tmp_path: Path,
) -> Settings:
    """Settings of an agent in a process of its own, which may fetch from this machine."""
    return Settings(
        postgres=PostgresSettings(url=SecretStr(postgres_url)),
        nats=NatsSettings(url=SecretStr(nats_url)),
        qdrant=QdrantSettings(url=qdrant_url, api_key=SecretStr(qdrant_api_key)),
        s3=s3_settings,
        embedding=EmbeddingSettings(url=embedding_url),
        secrets=SecretsSettings(keys=SecretStr(Fernet.generate_key().decode())),
        fetch=FetchSettings(allowed_hosts="127.0.0.1"),
        data_dir=tmp_path / "data",
    )
