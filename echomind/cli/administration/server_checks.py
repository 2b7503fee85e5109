"""Checks of the servers that the environment names, without EchoMind: for machines where its services do not start."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from echomind.cli.administration.findings import Finding, Level
from echomind.local.stack import EMBEDDING_URL, NATS_URL, POSTGRES_URL, QDRANT_URL, S3_ENDPOINT

if TYPE_CHECKING:
    from echomind_lib.config import Settings

_SECONDS = 10.0
Check = Callable[["Settings"], Awaitable[str]]
"""Returns what is there, in a few words; raises otherwise."""


async def check_servers() -> list[Finding]:
    """Checks each server whose address is in the environment, all at once."""
    named = [(name, variable, check) for name, variable, check in _CHECKS if os.environ.get(variable)]
    if not named:
        return []
    from echomind_lib.config import Settings

    settings = Settings()
    return list(await asyncio.gather(*(_found(name, variable, check(settings)) for name, variable, check in named)))


async def _found(name: str, variable: str, answer: Awaitable[str]) -> Finding:
    from echomind_lib.db.migrate import SchemaError

    try:
        async with asyncio.timeout(_SECONDS):
            return Finding(name, Level.OK, await answer)
    except SchemaError as error:
        return Finding(name, Level.FAILED, str(error), "run `echomind-migrate` with the same environment")
    except TimeoutError:
        message = f"does not answer within {_SECONDS:.0f} s"
    except Exception as error:  # noqa: BLE001 - whatever it is, the server cannot be used
        message = f"{error} {getattr(error, 'detail', '')}".strip() or type(error).__name__
    return Finding(name, Level.FAILED, message, f"check {variable}, the server, and the network between")


async def _check_postgres(settings: "Settings") -> str:
    from echomind_lib.db import migrate
    from echomind_lib.db.database import connect_once

    url = settings.postgres.url.get_secret_value()
    connection = await connect_once(url, "echomind-doctor", wait=0)
    version = connection.get_server_version()
    await connection.close()
    migrate.require_server(version)
    await migrate.check(url)
    return f"version {version.major}.{version.minor}, schema {migrate.head()}"


async def _check_nats(settings: "Settings") -> str:
    from nats.aio.client import Client

    client = Client()
    servers = settings.nats.url.get_secret_value().split(",")
    try:
        await client.connect(servers, allow_reconnect=False, connect_timeout=2, max_reconnect_attempts=1)
        account = await client.jetstream().account_info()
        return f"version {client.connected_server_version}, {account.streams} streams"
    finally:
        await client.close()


async def _check_qdrant(settings: "Settings") -> str:
    from echomind_lib.vectors import VectorIndex, require_server

    key = settings.qdrant.api_key
    vectors = VectorIndex(settings.qdrant.url, key.get_secret_value() if key else None)
    try:
        await vectors.check()
        version = await vectors.version()
        require_server(version)
        return f"version {version}"
    finally:
        await vectors.close()


async def _check_s3(settings: "Settings") -> str:
    from echomind_lib.objects import ObjectStore

    objects = ObjectStore(settings.s3)
    try:
        await objects.check()
        return f"bucket {settings.s3.bucket}"
    finally:
        await objects.close()


async def _check_embedding(settings: "Settings") -> str:
    from echomind_lib.embeddings import EmbeddingClient

    client = EmbeddingClient(settings.embedding.url, settings.embedding.key)
    try:
        return f"model {(await client.get_model()).model_id}"
    finally:
        await client.close()


_CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("PostgreSQL", POSTGRES_URL, _check_postgres),
    ("NATS", NATS_URL, _check_nats),
    ("Qdrant", QDRANT_URL, _check_qdrant),
    ("Object store", S3_ENDPOINT, _check_s3),
    ("Embedding process", EMBEDDING_URL, _check_embedding),
)


def check_workers(services: list[str]) -> Iterator[Finding]:
    """Checks whether at least one worker of each service runs, given the services of those that do."""
    for service, consequence in (("agent", "questions wait"), ("ingestor", "documents wait")):
        count = services.count(service)
        if count:
            yield Finding(f"Workers {service}", Level.OK, f"{count} run" if count > 1 else "1 runs")
        else:
            yield Finding(f"Workers {service}", Level.FAILED, f"none runs: {consequence}", f"start echomind-{service}")
