"""A visit of an address: its request, and the interpretation of the response."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from yarl import URL

from echomind_ingestor.connectors.frontier import Address
from echomind_ingestor.connectors.protocol import Item, Known
from echomind_ingestor.connectors.web.addresses import Territory, normalize, site
from echomind_ingestor.connectors.web.client import PRODUCT, WebClient
from echomind_ingestor.connectors.web.pages import Markup, read_directives, read_markup
from echomind_lib.network.fetching import FetchError, Response
from echomind_lib.network.page import HTML_TYPES
from echomind_lib.network.page_child import decode
from echomind_lib.text import single_line

_REMOVED: Final = frozenset({404, 410})
_MAX_INLINE: Final = 256 * 1024
"""Maximum bytes of content stored in an item itself."""
_MAX_HTML: Final = 5_000_000
_DOCUMENT_TYPES: Final = (
    "text/plain",
    "text/markdown",
    "text/csv",
    "text/tab-separated-values",
    "text/rtf",
    "application/pdf",
    "application/rtf",
    "application/msword",
    "application/epub+zip",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
)
_DOCUMENT_ENDINGS: Final = re.compile(r"(?i).*\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|epub|md|txt|csv)")
_UNTYPED: Final = frozenset({"application/octet-stream", "binary/octet-stream", "application/x-download"})


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The result of a visit.

    Attributes:
        url: The address.
        depth_of_links: Depth of its links: their distance from the start.
        status: As in `Visit`; 0 if it did not respond.
        item: The document; None if there is none.
        links: Its links.
        reason: The problem, for users; empty for none.
        is_answered: False if whole parts of the site cannot be read, so that nothing is known about unseen pages.
        is_removed: Whether its document is to be removed.
    """

    url: str
    depth_of_links: int
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    item: Item | None = None
    links: Sequence[str] = ()
    reason: str = ""
    is_answered: bool = True
    is_removed: bool = False

    @property
    def failed_id(self) -> str:
        """Returns the address of `reason`; empty for a whole host."""
        return self.url if self.is_answered else ""


class Visitor:
    """Visits addresses. Contents of large documents are kept in a folder until the next batch."""

    def __init__(self, client: WebClient, territory: Territory, folder: Path) -> None:
        self._client = client
        self._territory = territory
        self._folder = folder

    def clear(self) -> None:
        """Removes the kept contents."""
        for path in self._folder.iterdir():
            path.unlink()

    def kept(self, url: str) -> Path | None:
        """Returns the path of a large document's content; None if it is not kept."""
        path = self._path(url)
        return path if path.exists() else None

    async def visit(self, address: Address, known: Known | None, *, is_conditional: bool) -> Outcome:
        """Visits an address.

        Args:
            address: The address, with the result of its last visit.
            known: Stored state of its document.
            is_conditional: Whether to read it only if it has changed.

        Raises:
            SourceUnavailableError: Its host limits requests.
        """
        url = address.url
        outcome = Outcome(url=url, depth_of_links=address.depth + 1)
        robots = await self._client.robots(url)
        if not robots.is_reachable:
            outcome.is_answered = False
            outcome.reason = (
                robots.failure or f"The robots.txt of {URL(url).host} cannot be read, so no page of it may be."
            )
            return outcome
        if not robots.allows(url):
            outcome.is_removed = known is not None
            return outcome
        headers = {"Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5"}
        if is_conditional and address.etag:
            headers["If-None-Match"] = address.etag
        if is_conditional and address.last_modified:
            headers["If-Modified-Since"] = address.last_modified
        try:
            async with self._client.open(url, headers) as response:
                html = await self._read(response, address, known, outcome)
            if html is not None:
                # After the response is closed, which frees the host's slot, as this may request another page.
                await self._read_page(response, html, known, outcome)
        except FetchError as error:
            _keep(outcome, known, str(error))
        return outcome

    async def _read(self, response: Response, address: Address, known: Known | None, outcome: Outcome) -> str | None:
        """Reads a response; returns its HTML if it is a page."""
        status = response.status
        outcome.etag = response.headers.get("ETag", "")[:500]
        outcome.last_modified = response.headers.get("Last-Modified", "")[:100]
        if status == 304 and known is not None:
            outcome.status, outcome.item = 200, _stored(address.url, known)
            outcome.etag = outcome.etag or address.etag
            outcome.last_modified = outcome.last_modified or address.last_modified
        elif response.target is not None:
            self._move(outcome, known, response.target)
        elif status in _REMOVED:
            outcome.status, outcome.is_removed = status, known is not None
        elif status != 200:
            _keep(outcome, known, f"It answers with status {status}.")
        elif response.content_type in HTML_TYPES:
            return await self._html(response)
        elif _is_document(response.content_type, address.url):
            await self._read_document(response, known, outcome)
        else:
            outcome.status, outcome.is_removed = 200, known is not None
        return None

    async def _html(self, response: Response) -> str:
        body = bytearray()
        async for piece in response.pieces():
            body += piece
            if len(body) > _MAX_HTML:
                raise FetchError(f"The page is larger than {_MAX_HTML:,} bytes.")
        return await asyncio.to_thread(decode, bytes(body), response.charset, is_html=True)

    def _move(self, outcome: Outcome, known: Known | None, target: str) -> None:
        """Handles a redirect: the document is at its target."""
        outcome.status, outcome.is_removed = 301, known is not None
        outcome.depth_of_links -= 1
        if (moved := normalize(target)) is not None:
            outcome.links = [moved]
            if outcome.url in self._territory.starts and not self._territory.holds(moved):
                outcome.reason = f"It leads to {moved}, on another host: make that the start page."

    async def _read_page(self, response: Response, html: str, known: Known | None, outcome: Outcome) -> None:
        url = outcome.url
        own_path = url.partition("://")[2].partition("/")[2]
        markup = await asyncio.to_thread(read_markup, html, own_path)
        if header := response.headers.get("X-Robots-Tag"):
            read_directives(markup, header, PRODUCT)
        if markup.text == await self._client.missing_page(url):
            outcome.status, outcome.is_removed = 404, known is not None
            return
        outcome.status = 200
        base = normalize(markup.base, url) if markup.base else url
        if markup.is_followed:
            targets = (normalize(link, base or url) for link in [*markup.links, markup.refresh] if link)
            outcome.links = list(dict.fromkeys(target for target in targets if target is not None))
        if (canonical := await self._canonical(markup, url)) is not None:
            outcome.status, outcome.is_removed = 301, known is not None
            outcome.links = [*outcome.links, canonical]
        elif markup.is_indexed and self._territory.selects(url):
            data = html.encode("utf-8", "replace")
            # The version is the visible text: some servers put new tokens and times into the markup of each response.
            outcome.item = await self._item(response, outcome, f"text:{markup.text}", data, markup.title)
        else:
            outcome.is_removed = known is not None

    async def _canonical(self, markup: Markup, url: str) -> str | None:
        """Returns the canonical address of a page; None if it is its own.

        Another address is accepted if it is on the same site, readable, a page, and has no other canonical address.
        """
        canonical = normalize(markup.canonical, url) if markup.canonical else None
        if canonical is None or canonical == url or site(canonical) != site(url):
            return None
        if not self._territory.follows(canonical, 0) or not (await self._client.robots(canonical)).allows(canonical):
            return None
        try:
            async with self._client.open(canonical) as response:
                if response.status != 200 or response.content_type not in HTML_TYPES:
                    return None
                html = await self._html(response)
        except FetchError:
            return None
        other = await asyncio.to_thread(read_markup, html)
        itself = normalize(other.canonical, canonical) if other.canonical else canonical
        return canonical if itself == canonical and other.is_indexed else None

    async def _read_document(self, response: Response, known: Known | None, outcome: Outcome) -> None:
        path, digest, data = self._path(outcome.url), hashlib.sha256(), bytearray()
        with path.open("wb") as file:
            async for piece in response.pieces():
                digest.update(piece)
                file.write(piece)
                if len(data) <= _MAX_INLINE:
                    data += piece
        outcome.status = 200
        tag = Markup()
        if header := response.headers.get("X-Robots-Tag"):
            read_directives(tag, header, PRODUCT)
        if not tag.is_indexed:
            path.unlink()
            outcome.is_removed = known is not None
            return
        size = path.stat().st_size
        content = bytes(data) if size <= _MAX_INLINE else None
        if content is not None:
            path.unlink()
        outcome.item = _item(response, outcome.url, f"bytes:{digest.hexdigest()}", size, content)

    async def _item(self, response: Response, outcome: Outcome, version: str, data: bytes, title: str) -> Item:
        if len(data) > _MAX_INLINE:
            await asyncio.to_thread(self._path(outcome.url).write_bytes, data)
        content = data if len(data) <= _MAX_INLINE else None
        return _item(response, outcome.url, version, len(data), content, "text/html", single_line(title, 255))

    def _path(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode()).hexdigest()


def _keep(outcome: Outcome, known: Known | None, reason: str) -> None:
    """Keeps the document of a page that does not respond."""
    outcome.reason = reason
    if known is not None and known.version:
        outcome.item = _stored(outcome.url, known)


def _stored(url: str, known: Known) -> Item:
    """Returns the stored state as an item."""
    return Item(source_id=url, name=known.name or _name(url, "text/html"), version=known.version, url=url)


def _item(
    response: Response, url: str, version: str, size: int, content: bytes | None, kind: str = "", title: str = ""
) -> Item:
    kind = kind or response.content_type
    try:
        modified = parsedate_to_datetime(response.headers.get("Last-Modified", ""))
    except ValueError:
        modified = None
    if modified is not None and modified.tzinfo is None:
        modified = None
    return Item(
        source_id=url,
        name=title or _name(url, kind),
        version=version,
        url=url,
        content_type=kind,
        size=size,
        modified_at=modified,
        content=content,
    )


def _name(url: str, kind: str) -> str:
    """Returns a file name for an address: pages end in .html, whatever their own extension is."""
    parsed = URL(url)
    name = unquote(PurePosixPath(parsed.raw_path).name) or (parsed.host or "page")
    name = name.replace("/", "_").replace("\0", "")
    if kind in HTML_TYPES and not name.lower().endswith((".html", ".htm")):
        name += ".html"
    return name


def _is_document(content_type: str, url: str) -> bool:
    if content_type in _UNTYPED:
        return _DOCUMENT_ENDINGS.fullmatch(URL(url).raw_path) is not None
    return content_type.startswith(_DOCUMENT_TYPES)
