"""The entry point `echomind-agent`."""

import asyncio
import signal
from contextlib import AsyncExitStack

import structlog

from echomind_agent.loop import Services
from echomind_agent.mcp import McpServers
from echomind_agent.models import ChatModels
from echomind_agent.tools.builtin import builtin_tools
from echomind_agent.tools.plugins import PluginContext, plugin_tools
from echomind_agent.tools.registry import Registry
from echomind_agent.worker import Worker
from echomind_lib.config import Settings
from echomind_lib.db import migrate
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.llms import open_model_session
from echomind_lib.messaging import Bus
from echomind_lib.network.fetching import AllowedHosts, Fetcher
from echomind_lib.network.page import PageReader
from echomind_lib.objects import ObjectStore
from echomind_lib.retrieval import Retriever
from echomind_lib.secrets import Secrets
from echomind_lib.telemetry import configure_logging, configure_tracing, serve_health
from echomind_lib.vectors import VectorIndex

log = structlog.get_logger(__name__)


async def serve(settings: Settings) -> None:
    """Runs a worker until SIGTERM or SIGINT."""
    async with AsyncExitStack() as stack:
        url = settings.postgres.url.get_secret_value()
        await migrate.check(url)
        database = await stack.enter_async_context(
            await Database.connect(url, application_name="echomind-agent", max_size=settings.postgres.pool_size)
        )
        bus = await Bus.connect(settings.nats.url.get_secret_value(), "echomind-agent")
        stack.push_async_callback(bus.close)
        key = settings.qdrant.api_key.get_secret_value() if settings.qdrant.api_key else None
        vectors = VectorIndex(settings.qdrant.url, key)
        stack.push_async_callback(vectors.close)
        embeddings = EmbeddingClient(settings.embedding.url)
        stack.push_async_callback(embeddings.close)
        objects = ObjectStore(settings.s3)
        http = await stack.enter_async_context(open_model_session())
        retriever = Retriever(database, vectors, embeddings, objects)
        secrets = Secrets.load(settings.secrets, settings.data_dir)
        mcp = McpServers(secrets)
        stack.push_async_callback(mcp.close)
        fetcher = await stack.enter_async_context(Fetcher(AllowedHosts(settings.fetch.allowed_hosts)))
        reader = await stack.enter_async_context(PageReader())
        builtin = builtin_tools(retriever, fetcher, reader)
        plugins = PluginContext(database.pool, http, settings)
        services = Services(
            database.pool,
            bus,
            ChatModels(http, secrets, embeddings),
            Registry([*builtin, *plugin_tools(plugins, [tool.name for tool in builtin])]),
            mcp,
        )
        worker = asyncio.create_task(Worker(services, settings.agent.concurrency).run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.cancel)

        async def postgres() -> None:
            await database.pool.fetchval("SELECT 1")

        async def nats() -> None:
            if not bus.is_ready:
                raise ConnectionError

        health = await serve_health(settings.agent.health_port, {"postgres": postgres, "nats": nats})
        if health is not None:
            stack.push_async_callback(health.cleanup)
        try:
            await worker
        except asyncio.CancelledError:
            log.info("worker stopped")


def main() -> None:
    """Runs the agent with the settings of the environment."""
    settings = Settings()
    configure_logging(settings.telemetry, "agent")
    stop_tracing = configure_tracing(settings.telemetry, "agent")
    try:
        import uvloop

        uvloop.run(serve(settings))
    finally:
        stop_tracing()


if __name__ == "__main__":
    main()
