"""Web sites as a source: a crawl, whose pages are visited in each sync and read again if they have changed.

A found page is visited until it is removed (404, 410), forbidden, or no longer part of the crawl; the document of a
page that does not respond is unchanged. A page is identified by its address after redirects, or by its canonical
address if that is on the same site and agrees.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import ClassVar, Final, Self

import msgspec
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.frontier import Address, Frontier, Visit
from echomind_ingestor.connectors.web.addresses import Territory
from echomind_ingestor.connectors.web.client import WebClient
from echomind_ingestor.connectors.web.seeds import sitemap_pages
from echomind_ingestor.connectors.web.visits import Outcome, Visitor
from echomind_lib.connectors.types.web import WebSettings
from echomind_lib.network.fetching import Fetcher, FetchError, FetchLimits

_BATCH: Final = 40
"""Addresses visited per batch."""
_MAX_QUERIES: Final = 100
"""Maximum number of addresses that differ only after the `?`."""
_SECONDS: Final = 120.0
_PIECE: Final = 100_000


class WebSource(protocol.SourceConnector[WebSettings]):
    """Crawls web sites. An item's id is its page's address."""

    definition_name: ClassVar[str] = "web"

    def __init__(self, context: protocol.SourceContext[WebSettings]) -> None:
        super().__init__(context)
        self._territory = Territory(self.settings)
        self._rules = hashlib.sha256(msgspec.json.encode(self.settings)).hexdigest()[:16]

    @override
    async def __aenter__(self) -> Self:
        limits = FetchLimits(bytes=self.context.max_bytes, seconds=_SECONDS)
        self._fetcher = Fetcher(self.context.allowed_hosts, limits)
        self._folder = TemporaryDirectory(prefix="echomind-crawl-")
        self._client = WebClient(self._fetcher, self.settings.delay_seconds)
        self._visitor = Visitor(self._client, self._territory, Path(self._folder.name))
        return self

    @override
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._fetcher.__aexit__(kind, error, trace)
        self._folder.cleanup()

    @override
    async def check(self) -> Sequence[protocol.Check]:
        return [await self._check_page(url) for url in self._territory.starts]

    async def _check_page(self, url: str) -> protocol.Check:
        name = f"Read {url}"
        try:
            robots = await self._client.robots(url)
            if not robots.is_reachable:
                self._fetcher.parse(url)
                message = "Its robots.txt cannot be read (the server fails or does not answer), so nothing may be."
                return protocol.Check(name=name, status="failed", message=message)
            if not robots.allows(url):
                message = "Its robots.txt forbids it. Ask whoever runs the site to allow `EchoMind`."
                return protocol.Check(name=name, status="failed", message=message)
            async with self._client.open(url) as response:
                if response.target is not None:
                    message = "" if self._territory.holds(response.target) else _redirect_message(response.target)
                    return protocol.Check(name=name, status="warning" if message else "passed", message=message)
                if response.status != 200:
                    message = f"It answers with status {response.status}."
                    return protocol.Check(name=name, status="failed", message=message)
        except (FetchError, protocol.SourceError) as error:
            return protocol.Check(name=name, status="failed", message=str(error))
        return protocol.Check(name=name, status="passed")

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        frontier, position, has_room = self._frontier(), int((cursor or {}).get("after", 0)), True
        if position == 0:
            await frontier.forget_removed()
            await self._add(dict.fromkeys(self._territory.starts, 0))
            if self.settings.sitemaps:
                async for pages in sitemap_pages(self._client, self._fetcher, self._territory):
                    await self._add(dict.fromkeys(pages, 0))
        while addresses := await frontier.after(position, _BATCH):
            self._visitor.clear()
            known = await self.context.find_known([address.url for address in addresses])
            outcomes = await self._visit_all([address for address in addresses if self._belongs(address)], known)
            found: dict[str, int] = {}
            for outcome in outcomes:
                for url in outcome.links:
                    if self._territory.follows(url, outcome.depth_of_links):
                        found[url] = min(found.get(url, outcome.depth_of_links), outcome.depth_of_links)
            has_room = await self._add(found) and has_room
            await frontier.record([self._visit(outcome) for outcome in outcomes if outcome.status])
            position = addresses[-1].id
            yield _page(outcomes, {"after": position})
        yield protocol.Page(cursor={}, is_listing=True, failures=() if has_room else [self._no_room()])

    def _belongs(self, address: Address) -> bool:
        """Returns whether an address still belongs to the crawl, as settings may have changed since it was found."""
        return address.url in self._territory.starts or self._territory.follows(address.url, address.depth)

    async def _visit_all(self, addresses: Sequence[Address], known: Mapping[str, protocol.Known]) -> Sequence[Outcome]:
        try:
            async with asyncio.TaskGroup() as group:
                visits = [group.create_task(self._visit_one(address, known.get(address.url))) for address in addresses]
        except* protocol.SourceError as errors:
            raise errors.exceptions[0] from None
        return [visit.result() for visit in visits]

    async def _visit_one(self, address: Address, known: protocol.Known | None) -> Outcome:
        # A conditional request needs the last visit's result and its links to be stored.
        is_stored = known is not None and known.version == address.version and address.rules == self._rules
        return await self._visitor.visit(address, known, is_conditional=is_stored)

    async def _add(self, urls: Mapping[str, int]) -> bool:
        """Adds addresses to the crawl; returns whether there was room for all."""
        frontier = self._frontier()
        return not urls or await frontier.add(urls, max_urls=self.settings.max_pages, max_queries=_MAX_QUERIES)

    def _no_room(self) -> protocol.Failure:
        message = (
            f"The site has more than {self.settings.max_pages:,} pages, the others were not read: raise Most pages, "
            "or leave parts out by Exclude."
        )
        return protocol.Failure(source_id="", name="Most pages", message=message)

    def _visit(self, outcome: Outcome) -> Visit:
        return Visit(
            url=outcome.url,
            status=outcome.status,
            etag=outcome.etag,
            last_modified=outcome.last_modified,
            version=outcome.item.version if outcome.item else "",
            rules=self._rules,
        )

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        if (path := self._visitor.kept(item.source_id)) is not None:
            yield protocol.Content(pieces=_read(path))
            return
        outcome = await self._visitor.visit(_address(item.source_id), None, is_conditional=False)
        if outcome.item is None:
            raise protocol.ItemError(outcome.reason or "It is no document any more.")
        content, path = outcome.item.content, self._visitor.kept(item.source_id)
        yield protocol.Content(pieces=_read(path) if path is not None else _once(content or b""))

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        address = await self._frontier().find(source_id)
        if address is None or not self._belongs(address):
            return None
        outcome = await self._visitor.visit(address, None, is_conditional=False)
        if outcome.item is None and outcome.reason:
            raise protocol.ItemError(outcome.reason)
        return outcome.item

    def _frontier(self) -> Frontier:
        assert self.context.frontier is not None
        return self.context.frontier


def _page(outcomes: Sequence[Outcome], cursor: protocol.Cursor) -> protocol.Page:
    """Returns the page of some visits' outcomes."""
    failures = {
        failure.source_id or failure.message: failure
        for outcome in outcomes
        if outcome.reason
        for failure in [protocol.Failure(source_id=outcome.failed_id, name=outcome.url[:255], message=outcome.reason)]
    }
    return protocol.Page(
        cursor=cursor,
        items=[outcome.item for outcome in outcomes if outcome.item is not None],
        removed=[outcome.url for outcome in outcomes if outcome.is_removed],
        failures=list(failures.values()),
        is_listing=True,
        is_complete=all(outcome.is_answered for outcome in outcomes),
    )


def _address(url: str) -> Address:
    return Address(id=0, url=url, depth=0, status=0, etag="", last_modified="", version="", rules="")


def _redirect_message(target: str) -> str:
    return f"It leads to {target}, on another host: make that the start page."


async def _read(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
