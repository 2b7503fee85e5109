"""One installation for all modules of this folder: made by an older version, started and killed by this one."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest
import pytest_asyncio

from tests.drivers.collector import COLLECTOR_PATH, Collector, collecting
from tests.drivers.data_folder import unpack
from tests.drivers.model_server import ModelServer
from tests.drivers.up import start_up, stop_up, wait_ready
from tests.drivers.upgraded import FOLDER, Installation, answer


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """Where the installation sends its traces."""
    with collecting() as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def upgraded(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> AsyncIterator[Installation]:
    """It exports its traces with what people and models write."""
    data_dir = tmp_path_factory.mktemp("upgrade") / "data"
    settings = {
        "ECHOMIND_TELEMETRY__OTLP_ENDPOINT": f"{collector.url}{COLLECTOR_PATH}",
        "ECHOMIND_TELEMETRY__CONTENT": "true",
        "ECHOMIND_TELEMETRY__LOG_LEVEL": "debug",
        "OTEL_BSP_SCHEDULE_DELAY": "50",
    }
    async with ModelServer() as model:
        model.respond(answer)
        moved = f"UPDATE llms SET endpoint = '{model.url}' WHERE name = 'Connected'"
        await asyncio.to_thread(unpack, FOLDER / "folder.tar.xz", data_dir, moved)
        up = start_up(data_dir, settings=settings)
        try:
            await asyncio.to_thread(wait_ready, up)
            headers = {"Authorization": f"Bearer {up.api_key}"}
            async with aiohttp.ClientSession(up.url, headers=headers) as http:
                installation = Installation(up, http, model, settings)
                yield installation
                up = installation.up
        finally:
            await asyncio.to_thread(stop_up, up)
