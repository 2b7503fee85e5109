"""The engine, and each source in turn."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.fernet import Fernet

from echomind_ingestor.sync.slices import SliceLimits
from echomind_lib.config import S3Settings
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.connectors import definitions
from echomind_lib.events.log import EventLog
from echomind_lib.objects import ObjectStore
from echomind_lib.secrets import Secrets
from tests.conformance.double import SourceDouble
from tests.conformance.doubles.memory import MEMORY
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble
from tests.conformance.registered import DOUBLES
from tests.drivers.stack import embedding_url, extractor, stack
from tests.factories.rows import Rows, new_worker

__all__ = ["embedding_url", "extractor", "stack"]


@pytest_asyncio.fixture(loop_scope="session")
async def engine(event_log: EventLog, rows: Rows, s3_settings: S3Settings, tmp_path: Path) -> AsyncIterator[Engine]:
    """The engine with an empty database."""
    definitions().setdefault(MEMORY.name, MEMORY)
    objects = ObjectStore(s3_settings)
    yield Engine(
        events=event_log,
        objects=objects,
        secrets=Secrets([Fernet.generate_key().decode()]),
        worker_id=await new_worker(event_log.pool),
        user_id=rows.user_id,
        limits=SliceLimits(waiting=1_000_000, watch_seconds=0.05),
        server=ConnectorSettings(folders=str(tmp_path)),
    )
    await objects.close()


@pytest_asyncio.fixture(loop_scope="session", params=list(DOUBLES))
async def double(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SourceDouble]:
    """A source with an empty tenant; a test that needs what it has not is skipped by its marker `needs`."""
    made = DOUBLES[request.param](tmp_path)
    marker = request.node.get_closest_marker("needs")
    if marker is not None and (missing := set(marker.args) - made.abilities):
        pytest.skip(f"{request.param} has no {', '.join(sorted(missing))}")
    async with made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def memory() -> AsyncIterator[MemoryDouble]:
    """The reference source."""
    async with MemoryDouble() as made:
        yield made
