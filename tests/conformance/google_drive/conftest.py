"""The organization whose drives are read."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from echomind_ingestor.connectors import throttling, tokens, vendor_client
from echomind_lib.process.retries import RetryPolicy
from tests.conformance.doubles.google.organization import Organization


@pytest_asyncio.fixture
async def org(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Organization]:
    at_once = RetryPolicy(first=0.0, attempts=4, seconds=20)
    monkeypatch.setattr(vendor_client, "RETRIES", at_once)
    monkeypatch.setattr(tokens, "RETRIES", at_once)
    monkeypatch.setattr(throttling, "_gates", {})
    organization = Organization()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(organization.server.running())
        yield organization
    assert organization.server.violations == []
