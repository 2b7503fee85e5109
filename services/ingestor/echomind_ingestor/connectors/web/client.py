"""Fetches pages, obeying robots.txt and hosts' crawl delays, and only if they have changed."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import structlog
from protego import Protego

from echomind_ingestor.connectors.protocol import SourceUnavailableError
from echomind_ingestor.connectors.web.addresses import origin
from echomind_ingestor.connectors.web.pages import read_markup
from echomind_lib.network.fetching import Fetcher, FetchError, Response
from echomind_lib.network.page_child import decode
from echomind_lib.network.retry_after import retry_after

log = structlog.get_logger(__name__)

PRODUCT: Final = "EchoMind"
"""The crawler's name in robots.txt."""
_ROBOTS_BYTES: Final = 512_000
_LONGEST_DELAY: Final = 30.0
"""Maximum crawl delay in seconds that is respected."""
_LONGEST_WAIT: Final = 60.0
"""Maximum seconds to wait for a page; for longer pauses the sync ends and is retried later."""
_TRIES: Final = 3
_AT_ONCE: Final = 2
_MAX_FAILURES: Final = 10
"""Consecutive requests without a response after which a host is skipped."""
_SAMPLE: Final = 500_000


@dataclass(slots=True)
class _Host:
    """The state of a host in one sync."""

    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = 0.0
    failures: int = 0
    robots: "Robots | None" = None
    missing: str | None = None


class Robots:
    """A host's robots.txt, by RFC 9309: without one everything is allowed; if it cannot be read, nothing is."""

    def __init__(self, text: str | None, failure: str = "") -> None:
        """Parses the text; None if it cannot be read, with the reason if no request was answered."""
        self._rules = None if text is None else Protego.parse(text)
        self.failure = failure

    @property
    def is_reachable(self) -> bool:
        """Returns whether it could be read."""
        return self._rules is not None

    @property
    def sitemaps(self) -> list[str]:
        """Returns the sitemaps in it."""
        return [] if self._rules is None else list(self._rules.sitemaps)

    @property
    def delay(self) -> float:
        """Returns the crawl delay in seconds."""
        return 0.0 if self._rules is None else float(self._rules.crawl_delay(PRODUCT) or 0.0)

    def allows(self, url: str) -> bool:
        """Returns whether a page may be fetched."""
        return self._rules is not None and self._rules.can_fetch(url, PRODUCT)


class WebClient:
    """Fetches the pages of one crawl."""

    def __init__(self, fetcher: Fetcher, delay: float) -> None:
        self._fetcher = fetcher
        self._delay = delay
        self._hosts: dict[str, _Host] = {}

    async def robots(self, url: str) -> Robots:
        """Returns the rules of a page's host; read once per sync."""
        host = self._host(url)
        async with host.lock:
            if host.robots is None:
                host.robots = await self._read_robots(f"{origin(url)}/robots.txt")
            return host.robots

    async def _read_robots(self, url: str) -> Robots:
        try:
            async with self._fetcher.open(url) as response:
                if response.status == 429 or response.status >= 500:
                    return Robots(None)
                if not 200 <= response.status < 300:
                    return Robots("")
                body = bytearray()
                async for piece in response.pieces():
                    body += piece
                    if len(body) > _ROBOTS_BYTES:
                        break
        except FetchError as error:
            log.info("robots.txt not read", url=url, reason=str(error))
            return Robots(None, str(error))
        text = bytes(body[:_ROBOTS_BYTES]).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        return Robots(text)

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str] | None = None) -> AsyncIterator[Response]:
        """Requests a page after waiting for its host's slot; a redirect is returned as a response.

        Raises:
            FetchError: It may not be reached, or does not respond.
            SourceUnavailableError: The host limits requests, or has not responded for a while.
        """
        host = self._host(url)
        async with host.slots:
            for tried in range(1, _TRIES + 1):
                await self._wait(host)
                try:
                    async with self._fetcher.open(url, headers, redirects=0) as response:
                        host.failures = 0
                        wait = self._requested_pause(response)
                        if wait is None or (tried == _TRIES and response.status != 429):
                            yield response
                            return
                        if wait > _LONGEST_WAIT or tried == _TRIES:
                            message = f"{origin(url)} asks for a pause of {wait:.0f} seconds."
                            raise SourceUnavailableError(message, retry_after=wait)
                except FetchError as error:
                    self._count_failure(host, url, error)
                    raise
                await asyncio.sleep(wait)

    def _requested_pause(self, response: Response) -> float | None:
        """Returns the pause that a host requests; None for none."""
        asked = retry_after(response.headers)
        if response.status == 429:
            return 3.0 if asked is None else asked
        return asked if response.status == 503 else None

    def _count_failure(self, host: _Host, url: str, error: FetchError) -> None:
        if not error.retryable:
            return
        host.failures += 1
        if host.failures >= _MAX_FAILURES:
            message = f"{origin(url)} has not answered {host.failures} times in succession."
            raise SourceUnavailableError(message) from error

    async def missing_page(self, url: str) -> str:
        """Returns the digest of a host's page for missing addresses with status 200; empty if there is none.

        If the start page looks the same, the site is rendered by scripts, and the digest is useless.
        """
        host = self._host(url)
        async with host.lock:
            if host.missing is None:
                missing = await self._text_of(f"{origin(url)}/{secrets.token_hex(12)}")
                host.missing = "" if not missing or missing == await self._text_of(f"{origin(url)}/") else missing
            return host.missing

    async def _text_of(self, url: str) -> str:
        try:
            async with self._fetcher.open(url, {"Accept": "text/html"}, redirects=0) as response:
                if response.status != 200 or "html" not in response.content_type:
                    return ""
                body = bytearray()
                async for piece in response.pieces():
                    body += piece
                    if len(body) > _SAMPLE:
                        return ""
        except FetchError:
            return ""
        return page_digest(decode(bytes(body), response.charset, is_html=True), url)

    async def _wait(self, host: _Host) -> None:
        """Waits until the next request to a host may be sent."""
        wished = host.robots.delay if host.robots is not None else 0.0
        loop = asyncio.get_running_loop()
        begin = max(loop.time(), host.next_at)
        host.next_at = begin + max(self._delay, min(wished, _LONGEST_DELAY))
        await asyncio.sleep(begin - loop.time())

    def _host(self, url: str) -> _Host:
        return self._hosts.setdefault(origin(url), _Host())


def page_digest(html: str, url: str) -> str:
    """Returns a digest of a page's visible text, without its own address."""
    return read_markup(html, ignored=url.partition("://")[2].partition("/")[2]).text
