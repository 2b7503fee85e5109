"""What the tests of a vendor's requests share."""

from collections.abc import AsyncIterator

import pytest_asyncio

from echomind_ingestor.connectors.http_session import SourceSession
from tests.drivers.graph import Organization, organization
from tests.drivers.vendor import ScriptedVendor, scripted_vendor


@pytest_asyncio.fixture
async def acme() -> AsyncIterator[tuple[ScriptedVendor, SourceSession]]:
    async with scripted_vendor() as (vendor, session):
        yield vendor, session


@pytest_asyncio.fixture
async def contoso() -> AsyncIterator[Organization]:
    async with organization() as found:
        yield found
