"""The organisation whose drives are read."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from echomind_ingestor.connectors import throttling, tokens, vendor_client
from echomind_lib.retries import RetryPolicy
from tests.conformance.doubles.google.organisation import Organisation


@pytest_asyncio.fixture
async def org(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Organisation]:
    at_once = RetryPolicy(first=0.0, attempts=4, seconds=20)
    monkeypatch.setattr(vendor_client, "RETRIES", at_once)
    monkeypatch.setattr(tokens, "RETRIES", at_once)
    monkeypatch.setattr(throttling, "_gates", {})
    organisation = Organisation()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(organisation.server.running())
        yield organisation
    assert organisation.server.violations == []
