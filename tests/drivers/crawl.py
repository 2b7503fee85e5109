"""A crawl of a small site: a connector, synced as the engine does, on the real frontier."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest

from echomind_ingestor.connectors.protocol import Cursor, Failure, Item, Known, Page
from echomind_ingestor.connectors.web.source import WebSource
from echomind_ingestor.sync.frontier import StoredFrontier
from echomind_lib.connectors.types.web import WebSettings
from echomind_lib.db.database import Database
from echomind_lib.network.fetching import AllowedHosts
from tests.drivers.site import Site
from tests.factories import rows
from tests.factories.sources import source_context


@dataclass
class Crawl:
    """A connector and what a sync has stored of it."""

    pool: asyncpg.Pool
    connector_id: int
    site: Site
    settings: dict[str, Any]
    contents: dict[str, bytes] = field(default_factory=dict)
    known: dict[str, Known] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    cursor: Cursor | None = None

    @asynccontextmanager
    async def source(self) -> AsyncIterator[WebSource]:
        settings = {"start_urls": (self.url("/"),), "delay_seconds": 0.0, **self.settings}
        context = source_context(
            WebSettings(**settings),
            known=self.known,
            frontier=StoredFrontier(self.pool, self.connector_id),
            allowed_hosts=AllowedHosts("127.0.0.1,localhost"),
        )
        async with WebSource(context) as source:
            yield source

    def url(self, path: str) -> str:
        return self.site.url(path, "127.0.0.1")

    @property
    def paths(self) -> set[str]:
        """The documents that are stored."""
        return {url.removeprefix(self.url("")) for url in self.known}

    async def sync(self, pages: int | None = None) -> set[str]:
        """Syncs as the engine does, or only some pages of it; returns the paths whose content was read."""
        self.read, self.failures, seen, is_complete = [], [], set[str](), True
        self.site.requests.clear()
        async with self.source() as source:
            changes = source.changes(self.cursor)
            async for page in changes:
                seen |= await self._apply(source, page)
                is_complete = is_complete and page.is_complete
                self.cursor = page.cursor
                if pages is not None and (pages := pages - 1) == 0:
                    return set(self.read)
        if is_complete and pages is None:
            for url in self.known.keys() - seen - {failure.source_id for failure in self.failures}:
                del self.known[url]
        return {url.removeprefix(self.url("")) for url in self.read}

    async def _apply(self, source: WebSource, page: Page) -> set[str]:
        self.failures += page.failures
        for url in page.removed:
            self.known.pop(url, None)
        for item in page.items:
            if (stored := self.known.get(item.source_id)) is None or stored.version != item.version:
                self.contents[item.source_id] = await content_of(source, item)
                self.read.append(item.source_id)
                self.known[item.source_id] = Known(
                    name=item.name, version=item.version, folder_id="", readers=None, is_folder=False
                )
        return {item.source_id for item in page.items}


async def content_of(source: WebSource, item: Item) -> bytes:
    """Returns the content of a page."""
    if item.content is not None:
        return item.content
    async with source.open(item) as opened:
        return b"".join([piece async for piece in opened.pieces])


@pytest.fixture
async def make(database: Database, site: Site) -> Callable[..., Any]:
    """Makes a crawl of the site: `await make(max_depth=2)`."""

    async def make_crawl(**settings: Any) -> Crawl:
        connector = await rows.connector(database.pool, type="web")
        return Crawl(database.pool, connector["id"], site, settings)

    return make_crawl


def page(*links: str, text: str = "", head: str = "") -> str:
    """Returns a page with links."""
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<html><head><title>T</title>{head}</head><body><p>{text}</p>{anchors}</body></html>"
