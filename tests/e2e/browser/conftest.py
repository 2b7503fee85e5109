"""Pages of the running product in fresh browsers."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.drivers.web_pages import OpenPage, browsers, chromium


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, once for all tests."""
    async with chromium() as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser) -> AsyncIterator[OpenPage]:
    """Opens pages of fresh browsers; what a page logs as an error fails the test."""
    async with browsers(browser) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: OpenPage) -> Page:
    """A page of a fresh browser."""
    return await open_page()
