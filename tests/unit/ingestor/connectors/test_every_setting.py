"""Each setting of each source: its effect, and the error for a wrong value."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from typing_extensions import override

from echomind_ingestor.connectors.file.source import FileSource
from echomind_ingestor.connectors.frontier import Address, Frontier, Visit
from echomind_ingestor.connectors.onedrive.source import OneDriveSource
from echomind_ingestor.connectors.protocol import SourceConnector
from echomind_ingestor.connectors.storage.source import StorageSource
from echomind_ingestor.connectors.teams.source import TeamsSource
from echomind_ingestor.connectors.web.source import WebSource
from echomind_lib.connectors import ConnectorDefinition, SettingsError
from echomind_lib.connectors.types.file import FILE, FileSettings
from echomind_lib.connectors.types.google_drive import GOOGLE_DRIVE
from echomind_lib.connectors.types.onedrive import ONEDRIVE, OneDriveSettings
from echomind_lib.connectors.types.storage import STORAGE, S3Keys, StorageCredentials, StorageSettings
from echomind_lib.connectors.types.teams import TEAMS, TeamsSettings
from echomind_lib.connectors.types.web import WEB, WebSettings
from echomind_lib.network.fetching import AllowedHosts
from tests.conformance.doubles.google.organization import Organization as GoogleOrganization
from tests.conformance.doubles.google.tenant import Grant
from tests.drivers.graph import Organization
from tests.drivers.serving import answering, serving
from tests.drivers.tables import for_each
from tests.factories.sources import source_context

TYPES = (FILE, WEB, STORAGE, GOOGLE_DRIVE, ONEDRIVE, TEAMS)
LOCAL = AllowedHosts("127.0.0.1")
TEAM = "02bd9fd6-8f93-4758-87c3-1fb73740a315"

WRONG: Mapping[str, tuple[dict[str, Any], Mapping[str, Any]]] = {
    "file": ({"folder": "/srv"}, {"folder": "srv", "include": [""], "exclude": "*.pdf"}),
    "web": (
        {"start_urls": ["https://example.com/"]},
        {
            "start_urls": ["example.com"],
            "sitemaps": "yes",
            "max_depth": 51,
            "max_pages": 0,
            "include": [""],
            "exclude": ["x" * 501],
            "delay_seconds": -1.0,
        },
    ),
    "storage": (
        {"service": "s3", "bucket": "b"},
        {
            "service": "sftp",
            "bucket": "a/b",
            "endpoint": "minio.example.com",
            "region": "eu central",
            "folder": "a/../b",
            "include": [""],
            "exclude": [7],
        },
    ),
    "google_drive": (
        {"my_drive": True, "all_shared_drives": False},
        {
            "my_drive": 1,
            "all_shared_drives": "all",
            "shared_drives": ["a drive"],
            "folders": ["https://example.org/x y"],
            "include": ["folder/*"],
            "exclude": ["folder/*"],
        },
    ),
    "onedrive": ({}, {"people": [""], "sites": ["contoso.sharepoint.com"], "include": [""], "exclude": [""]}),
    "teams": ({"teams": [TEAM]}, {"teams": ["Engineering"], "chats_of": [""]}),
}
"""Of each type: settings that are right, and for each setting a value that is not."""

SHOWN: set[tuple[str, str]] = set()
"""The settings whose effect a test here sees, by type."""


def shows(definition: ConnectorDefinition, *fields: str) -> Callable[[Any], Any]:
    """Says which settings a test is about."""
    SHOWN.update((definition.name, field) for field in fields)
    return lambda test: test


def fields(definition: ConnectorDefinition) -> Iterator[tuple[str, str]]:
    return ((definition.name, field.name) for field in msgspec.structs.fields(definition.settings))


def test_no_setting_is_without_its_test() -> None:
    every = {field for definition in TYPES for field in fields(definition)}
    assert every == SHOWN
    assert every == {(type_, field) for type_, (_, wrong) in WRONG.items() for field in wrong}


@for_each(
    ("definition", "field"),
    [(each, name) for each in TYPES for _, name in fields(each)],
    ids=lambda each: str(each)[:20],
)
def test_a_wrong_value_is_refused_by_its_name(definition: ConnectorDefinition, field: str) -> None:
    right, wrong = WRONG[definition.name]
    definition.read_settings(right)
    with pytest.raises(SettingsError) as caught:
        definition.read_settings(right | {field: wrong[field]})
    assert caught.value.field.partition("[")[0] == field
    assert caught.value.rule


async def items(source: SourceConnector[Any]) -> set[str]:
    async with source:
        return {item.source_id async for page in source.changes(None) for item in page.items}


@shows(FILE, "folder", "include", "exclude")
async def test_a_folder_of_the_server(tmp_path: Path) -> None:
    for path in ("here/a.pdf", "here/drafts/b.pdf", "here/c.txt", "there/d.pdf"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("Text.")

    async def read(folder: str = "here", **settings: Any) -> set[str]:
        given = FileSettings(folder=str(tmp_path / folder), **settings)
        return await items(FileSource(source_context(given, folders=(str(tmp_path),))))

    assert await read() == {"a.pdf", "drafts/b.pdf", "c.txt"}
    assert await read("there") == {"d.pdf"}
    assert await read(include=("*.pdf",)) == {"a.pdf", "drafts/b.pdf"}
    assert await read(include=("*.pdf",), exclude=("drafts/**",)) == {"a.pdf"}


class MemoryFrontier(Frontier):
    """A frontier of one crawl."""

    def __init__(self) -> None:
        self._found: dict[str, Address] = {}

    @override
    async def add(self, urls: Mapping[str, int], *, max_urls: int, max_queries: int) -> bool:
        new = [url for url in urls if url not in self._found]
        for url in new[: max_urls - len(self._found)]:
            number = len(self._found) + 1
            self._found[url] = Address(
                id=number, url=url, depth=urls[url], status=0, etag="", last_modified="", version="", rules=""
            )
        return all(url in self._found for url in new)

    @override
    async def after(self, position: int, limit: int) -> Sequence[Address]:
        return [each for each in self._found.values() if each.id > position][:limit]

    @override
    async def find(self, url: str) -> Address | None:
        return self._found.get(url)

    @override
    async def record(self, visits: Sequence[Visit]) -> None:
        """Keeps nothing of them."""

    @override
    async def forget_removed(self) -> None:
        """Knows of none."""


@shows(WEB, "start_urls", "sitemaps", "max_depth", "max_pages", "include", "exclude", "delay_seconds")
async def test_web_sites() -> None:
    links = {"/": ["/a"], "/a": ["/a/b"], "/a/b": [], "/listed": []}
    times: list[float] = []

    async def answer(request: web.Request) -> web.Response:
        if request.path in links:
            if request.path != "/":  # also requested for comparison
                times.append(asyncio.get_running_loop().time())
            anchors = "".join(f'<a href="{link}">x</a>' for link in links[request.path])
            return web.Response(text=f"<p>{request.path}</p>{anchors}", content_type="text/html")
        if request.path == "/sitemap.xml":
            address = f"http://{request.host}/listed"
            return web.Response(
                text=f"<urlset><url><loc>{address}</loc></url></urlset>", content_type="application/xml"
            )
        return web.Response(status=404)

    async with serving(answering(answer)) as origin:

        async def crawl(start: str = "/", **settings: Any) -> set[str]:
            times.clear()
            given = WebSettings(**{"start_urls": (f"{origin}{start}",), "delay_seconds": 0.0, **settings})
            context = source_context(given, frontier=MemoryFrontier(), allowed_hosts=LOCAL)
            return {url.removeprefix(origin) for url in await items(WebSource(context))}

        assert await crawl() == {"/", "/a", "/a/b", "/listed"}
        assert await crawl("/a/b") == {"/a/b", "/listed"}
        assert await crawl(sitemaps=False) == {"/", "/a", "/a/b"}
        assert await crawl(sitemaps=False, max_depth=1) == {"/", "/a"}
        assert await crawl(sitemaps=False, max_pages=1) == {"/"}
        assert await crawl(include=("/a*",), sitemaps=False) == {"/a"}
        assert await crawl(exclude=("/a/*",)) == {"/", "/a", "/listed"}
        await crawl("/a", delay_seconds=0.1, sitemaps=False)
        (pause,) = (later - earlier for earlier, later in pairwise(times))
        assert pause > 0.09


@shows(STORAGE, "service", "bucket", "endpoint", "region", "folder", "include", "exclude")
async def test_stores() -> None:
    asked: list[web.Request] = []
    keys = ("in/a.pdf", "in/drafts/b.pdf", "in/c.txt")

    async def answer(request: web.Request) -> web.Response:
        asked.append(request)
        if request.method == "PROPFIND":
            return web.Response(status=207, text='<D:multistatus xmlns:D="DAV:"/>', content_type="application/xml")
        found = "".join(
            f"<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>1</ETag>"
            "<Size>1</Size></Contents>"
            for key in keys
            if key.startswith(request.query.get("prefix", ""))
        )
        text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
        return web.Response(text=text, content_type="application/xml")

    async with serving(answering(answer)) as origin, serving(answering(answer)) as other:
        credentials = StorageCredentials(s3=S3Keys(access_key="key", secret_key="secret"))

        async def read(**settings: Any) -> set[str]:
            asked.clear()
            given = StorageSettings(**{"service": "s3", "bucket": "b", "endpoint": origin, **settings})
            given_keys = credentials if given.service == "s3" else None
            return await items(StorageSource(source_context(given, given_keys, allowed_hosts=LOCAL)))

        assert await read() == set(keys)
        assert (asked[0].path.strip("/"), f"http://{asked[0].host}") == ("b", origin)
        assert "/us-east-1/s3/" in asked[0].headers["Authorization"]
        await read(bucket="other", endpoint=other, region="eu-central-1")
        assert (asked[0].path.strip("/"), f"http://{asked[0].host}") == ("other", other)
        assert "/eu-central-1/s3/" in asked[0].headers["Authorization"]
        await read(service="webdav", bucket="")
        assert asked[0].method == "PROPFIND"
        assert await read(folder="in/drafts") == {"in/drafts/b.pdf"}
        assert await read(folder="in", include=("*.pdf",)) == {"in/a.pdf", "in/drafts/b.pdf"}
        assert await read(folder="in", exclude=("drafts/**",)) == {"in/a.pdf", "in/c.txt"}


@shows(GOOGLE_DRIVE, "my_drive", "all_shared_drives", "shared_drives", "folders", "include", "exclude")
async def test_google_drive() -> None:
    org = GoogleOrganization()
    manager = Grant("user", org.ann, "organizer")
    first, two = org.drive("One", manager), org.drive("Two", manager)
    org.add("mine.txt", org.ann)
    folder = org.folder("Folder", org.ann)
    org.add("inside.txt", org.ann, folder.id)
    for drive, name in ((first, "one.txt"), (two, "two.txt")):
        org.add(name, org.ann, drive)

    async def read(**settings: Any) -> set[str]:
        org.stored.__init__()  # type: ignore[misc]
        return (await org.sync(syncs_permissions=False, **settings)).names

    async with org.server.running():
        assert await read(my_drive=True) == {"mine.txt", "inside.txt"}
        assert await read(all_shared_drives=True) == {"one.txt", "two.txt"}
        assert await read(shared_drives=(first,)) == {"one.txt"}
        assert await read(folders=(folder.id,)) == {"inside.txt"}
        assert await read(my_drive=True, all_shared_drives=True, include=("*n*",)) == {
            "mine.txt",
            "inside.txt",
            "one.txt",
        }
        assert await read(my_drive=True, exclude=("in*",)) == {"mine.txt"}
    assert org.server.violations == []


@shows(ONEDRIVE, "people", "sites", "include", "exclude")
async def test_onedrive(contoso: Organization) -> None:
    tenant = contoso.tenant
    own, library = tenant.add_drive(owner=tenant.add_user("ada@contoso.com")), tenant.add_drive()
    tenant.add_site("sites/HR", library)
    policies = tenant.put(own, "Policies", None)
    for drive, name, parent in ((own, "a.docx", policies), (own, "b.txt", None), (library, "c.docx", None)):
        tenant.put(drive, name, name.encode(), parent)

    async def read(**settings: Any) -> set[str]:
        source = contoso.source(OneDriveSource, OneDriveSettings(**settings), syncs_permissions=False)
        found = await items(source)
        return {
            item.name for drive in (own, library) for item in drive.items.values() if f"{drive.id}/{item.id}" in found
        }

    people, sites = ("ada@contoso.com",), ("https://contoso.example/sites/HR",)
    assert await read(people=people) == {"a.docx", "b.txt"}
    assert await read(sites=sites) == {"c.docx"}
    assert await read(people=people, sites=sites, include=("*.docx",)) == {"a.docx", "c.docx"}
    assert await read(people=people, exclude=("Policies/**",)) == {"b.txt"}


@shows(TEAMS, "teams", "chats_of")
async def test_teams(contoso: Organization) -> None:
    tenant = contoso.tenant
    ada, bob = tenant.add_user("ada@contoso.com"), tenant.add_user("bob@contoso.com")
    team = tenant.new_id("team")
    for conversation, text in (
        (tenant.add_channel(team, "General", ada), "Channel"),
        (tenant.add_chat("Lunch", bob), "Chat"),
    ):
        tenant.post(conversation, ada, text)

    async def read(**settings: Any) -> set[str]:
        return {each.partition("/")[0] for each in await items(contoso.source(TeamsSource, TeamsSettings(**settings)))}

    assert await read(teams=(team,)) == {team}
    assert await read(chats_of=("bob@contoso.com",)) == {"chat"}
    assert await read(chats_of=("ada@contoso.com",)) == set()
