"""Pages of the running product in fresh browsers."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.drivers.web_pages import OpenPage, ServiceWorkers, browsers, chromium


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, once for all tests."""
    async with chromium() as started:
        yield started


@pytest.fixture
def service_workers() -> ServiceWorkers:
    """Whether pages run the app's service worker: modules that are about it say so."""
    return "block"


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, service_workers: ServiceWorkers) -> AsyncIterator[OpenPage]:
    """Opens pages of fresh browsers; what a page logs as an error fails the test."""
    async with browsers(browser, service_workers) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: OpenPage) -> Page:
    """A page of a fresh browser."""
    return await open_page()
