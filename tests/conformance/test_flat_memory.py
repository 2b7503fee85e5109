"""Forty thousand items are listed in the memory of a page: doubles that make pages while they are read.

The conversations of Teams come by fifty, each rendered as a document, so there are fewer of them; and the files of a
folder are real ones, of which `bench/sync.py` reads a hundred thousand with the whole product.
"""

import gc
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil
from aiohttp import web

from echomind_ingestor.connectors.file.source import FileSource
from echomind_ingestor.connectors.onedrive.source import OneDriveSource
from echomind_ingestor.connectors.protocol import Page, SourceConnector
from echomind_ingestor.connectors.storage.source import StorageSource
from echomind_ingestor.connectors.teams.source import TeamsSource
from echomind_ingestor.connectors.web.addresses import Territory
from echomind_ingestor.connectors.web.client import WebClient
from echomind_ingestor.connectors.web.seeds import sitemap_pages
from echomind_lib.connectors.types.file import FileSettings
from echomind_lib.connectors.types.onedrive import OneDriveSettings
from echomind_lib.connectors.types.storage import S3Keys, StorageCredentials, StorageSettings
from echomind_lib.connectors.types.teams import TeamsSettings
from echomind_lib.connectors.types.web import WebSettings
from echomind_lib.network.fetching import AllowedHosts, Fetcher
from tests.conformance.doubles.google.organization import Organization as GoogleOrganization
from tests.conformance.doubles.google.server import GoogleServer
from tests.conformance.doubles.graph.server import GraphServer
from tests.conformance.doubles.graph.tenant import Item
from tests.conformance.doubles.graph.tenant import Tenant as GraphTenant
from tests.drivers.graph import Organization as GraphOrganization
from tests.drivers.serving import serving
from tests.factories.sources import source_context

ITEMS = 40_000
PAGE = 1000
LIMIT = 9_000_000
"""Bytes that a listing may grow by, where this process had no memory left over: large objects would show."""
_LOOPBACK = AllowedHosts("127.0.0.1")


class Growth:
    """By how much what this process keeps has grown since a tenth of the items was read.

    Objects are counted as well as bytes, because what other tests have used serves again: its bytes would hide all.
    """

    def __init__(self, items: int) -> None:
        self._items = items
        self._process = psutil.Process()
        self._bytes = 0
        self._objects = 0
        self._seen = 0
        self.bytes = 0
        self.objects = 0

    def add(self, items: int) -> None:
        """Notes a page of so many items."""
        self._seen += items
        if self._seen * 10 < self._items:
            return
        used: int = self._process.memory_info().rss
        if not self._bytes:
            gc.collect()
            self._bytes, self._objects = used, sys.getallocatedblocks()
        self.bytes = max(self.bytes, used - self._bytes)
        if self._seen == self._items:
            gc.collect()
            self.objects = sys.getallocatedblocks() - self._objects

    def check(self) -> None:
        """Raises AssertionError unless all items were read in flat memory."""
        assert self._seen == self._items
        assert self.objects < self._items / 4, f"{self.objects:,} objects for {self._items:,} items"
        assert self.bytes < LIMIT, f"{self.bytes:,} bytes for {self._items:,} items"


async def _read(source: SourceConnector[Any], items: int = ITEMS) -> None:
    growth = Growth(items)
    async with source, aclosing(source.changes(None)) as pages:  # type: ignore[type-var]
        page: Page
        async for page in pages:
            growth.add(len(page.items))
            assert len(msgspec.json.encode(page.cursor)) < 64_000
            assert not page.failures
    growth.check()


class _LargeDrive(GoogleServer):
    """A My Drive whose listing has no end in memory; all else is that of the double."""

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path != "/drive/v3/files":
            return await super()._answer(request)
        begin = int(request.query.get("pageToken", "0"))
        owner = next(iter(self.tenant.people))
        template = self._file(owner, self.tenant.add("a.txt", owner)) | {"parents": [self.tenant.root_of(owner)]}
        del self.tenant.nodes[template["id"]]
        files = [template | {"id": f"1F{at:08}", "name": f"{at}.txt"} for at in range(begin, begin + PAGE)]
        following = {"nextPageToken": str(begin + PAGE)} if begin + PAGE < ITEMS else {}
        return web.Response(body=msgspec.json.encode({"files": files, **following}), content_type="application/json")


async def test_google_drive() -> None:
    organization = GoogleOrganization()
    organization.server = _LargeDrive(organization)
    async with organization.server.running():
        await _read(organization.source())


class _LargeGraph(GraphServer):
    """A drive and a channel whose lists have no end in memory."""

    conversations = 10_000

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path.endswith("/root/delta"):
            return self._large(request, PAGE, ITEMS, self._files, "@odata.deltaLink")
        if request.path.endswith("/messages"):
            return self._large(request, 50, self.conversations, self._conversations, "")
        return await super()._answer(request)

    def _large(self, request: web.Request, size: int, count: int, make: Any, last: str) -> web.Response:
        begin = int(request.query.get("$skiptoken", "0"))
        address = f"{self.origin}{request.rel_url.raw_path}"
        answer: dict[str, Any] = {"value": make(range(begin, begin + size))}
        if begin + size < count:
            answer["@odata.nextLink"] = f"{address}?$skiptoken={begin + size}"
        elif last:
            answer[last] = f"{address}?token=1"
        return web.Response(body=msgspec.json.encode(answer), content_type="application/json")

    def _files(self, places: Sequence[int]) -> list[dict[str, Any]]:
        (drive,) = self.tenant.drives.values()
        template = drive.answer(Item("x", "a.txt", drive.root.id, b"Text."))
        return [template | {"id": f"item!{at}", "name": f"{at}.txt"} for at in places]

    def _conversations(self, places: Sequence[int]) -> list[dict[str, Any]]:
        (channels,) = self.tenant.teams.values()
        (channel,) = channels.values()
        (template,) = channel.messages.values()
        return [template | {"id": str(1_800_000_000_000 + at), "subject": f"Subject {at}"} for at in places]


@asynccontextmanager
async def _graph() -> AsyncIterator[GraphOrganization]:
    server = _LargeGraph(GraphTenant())
    async with serving(server.app) as server.origin:
        yield GraphOrganization(server)


async def test_onedrive() -> None:
    async with _graph() as contoso:
        contoso.tenant.add_drive(owner=contoso.tenant.add_user("ada@contoso.com"))
        await _read(
            contoso.source(OneDriveSource, OneDriveSettings(people=("ada@contoso.com",)), syncs_permissions=False)
        )


async def test_teams() -> None:
    async with _graph() as contoso:
        ada = contoso.tenant.add_user("ada@contoso.com")
        contoso.tenant.post(contoso.tenant.add_channel("team", "General", ada), ada, "Text.", subject="Subject")
        # The change list after the listing contains the only real conversation.
        settings = TeamsSettings(teams=("team",))
        await _read(contoso.source(TeamsSource, settings), _LargeGraph.conversations + 1)


async def test_s3() -> None:
    async def answer(request: web.Request) -> web.Response:
        after = request.query.get("continuation-token", "")
        begin = int(after or 0)
        contents = "".join(
            f"<Contents><Key>{at:07}.txt</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>&quot;{at:032x}&quot;</ETag><Size>10</Size></Contents>"
            for at in range(begin, begin + PAGE)
        )
        is_last = begin + PAGE >= ITEMS
        token = "" if is_last else f"<NextContinuationToken>{begin + PAGE}</NextContinuationToken>"
        text = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>documents</Name><Prefix></Prefix>'
            f"<KeyCount>{PAGE}</KeyCount><MaxKeys>{PAGE}</MaxKeys><IsTruncated>{str(not is_last).lower()}</IsTruncated>"
            f"{token}{contents}</ListBucketResult>"
        )
        return web.Response(text=text, content_type="application/xml")

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    async with serving(application) as origin:
        settings = StorageSettings(service="s3", bucket="documents", endpoint=origin)
        keys = StorageCredentials(s3=S3Keys(access_key="key", secret_key="secret"))
        await _read(StorageSource(source_context(settings, keys, allowed_hosts=_LOOPBACK)))


async def test_webdav() -> None:
    def entry(path: str, *, is_folder: bool) -> str:
        kind = "<D:resourcetype><D:collection/></D:resourcetype>" if is_folder else "<D:resourcetype/>"
        return (
            f"<D:response><D:href>{path}</D:href><D:propstat><D:prop>{kind}<D:getcontentlength>10</D:getcontentlength>"
            f"<D:getlastmodified>Thu, 01 Jan 2026 00:00:00 GMT</D:getlastmodified><D:getetag>&quot;1&quot;</D:getetag>"
            "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        )

    async def answer(request: web.Request) -> web.Response:
        path = request.path
        inside = [f"{path}{at:03}/" for at in range(ITEMS // PAGE)]
        if path != "/":
            inside = [f"{path}{at:03}.txt" for at in range(PAGE)]
        entries = [entry(path, is_folder=True), *(entry(each, is_folder=each.endswith("/")) for each in inside)]
        text = f'<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">{"".join(entries)}</D:multistatus>'
        return web.Response(status=207, text=text, content_type="application/xml")

    application = web.Application()
    application.router.add_route("PROPFIND", "/{path:.*}", answer)
    async with serving(application) as origin:
        settings = StorageSettings(service="webdav", endpoint=origin)
        await _read(StorageSource(source_context(settings, allowed_hosts=_LOOPBACK)))


async def test_a_folder_of_the_server(tmp_path: Path) -> None:
    items = ITEMS // 4
    for folder in range(10):
        (tmp_path / f"{folder}").mkdir()
        for at in range(items // 10):
            os.mknod(tmp_path / f"{folder}" / f"{at}.txt")
    await _read(FileSource(source_context(FileSettings(folder=str(tmp_path)), folders=(str(tmp_path),))), items)


async def test_sitemaps() -> None:
    async def answer(request: web.Request) -> web.Response:
        origin = f"http://{request.host}"
        match request.path:
            case "/sitemap.xml":
                inner = "".join(f"<sitemap><loc>{origin}/{each}.xml</loc></sitemap>" for each in ("a", "b"))
                text = f"<sitemapindex>{inner}</sitemapindex>"
            case "/a.xml" | "/b.xml":
                name = request.path[1]
                urls = (f"<url><loc>{origin}/{name}/{at}</loc></url>" for at in range(ITEMS // 2))
                text = f"<urlset>{''.join(urls)}</urlset>"
            case _:
                return web.Response(status=404)
        return web.Response(text=text, content_type="application/xml")

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    growth = Growth(ITEMS)
    async with serving(application) as origin, Fetcher(_LOOPBACK) as fetcher:
        territory = Territory(WebSettings(start_urls=(f"{origin}/",), max_pages=ITEMS))
        async for urls in sitemap_pages(WebClient(fetcher, 0.0), fetcher, territory):
            growth.add(len(urls))
    growth.check()
