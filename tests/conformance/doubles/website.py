"""A small web site on loopback: a page that links files, which answer whether they have changed."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, Self
from urllib.parse import quote

import pytest
from aiohttp import web
from typing_extensions import override

from echomind_ingestor.connectors.web import source as web_source
from tests.conformance.double import Ability, ConnectorSetup, Expected, SourceDouble


class WebDouble(SourceDouble):
    """Ids are addresses."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({"restore", "rate_limit", "paging", "broken_item"})

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._removed: dict[str, tuple[str, bytes]] = {}
        self._refused = 0
        self._retry_after: str | None = None
        self._url = ""
        self._broken: set[str] = set()
        self._held: dict[str, asyncio.Event] = {}
        self.asked: Counter[str] = Counter()
        """How often each file was asked for."""
        self._patch = pytest.MonkeyPatch()

    @override
    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        server: Any = site._server
        self._url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    @override
    async def __aexit__(self, *_: object) -> None:
        self._patch.undo()
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        name = request.path.removeprefix("/files/")
        if request.path == "/":
            links = "".join(f'<a href="/files/{quote(each)}">{quote(each)}</a>' for each in self._contents)
            page = f'<html><head><meta name="robots" content="noindex"></head><body>{links}</body></html>'
            return web.Response(text=page, content_type="text/html")
        if name not in self._contents:
            return web.Response(status=404)
        self.asked[name] += 1
        if (held := self._held.get(name)) is not None:
            await held.wait()
        if self._refused:
            self._refused -= 1
            return web.Response(status=429, headers={"Retry-After": self._retry_after} if self._retry_after else None)
        if name in self._broken:
            return web.Response(status=500)
        tag = f'"{hashlib.sha256(self._contents[name]).hexdigest()}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        return web.Response(body=self._contents[name], content_type="text/plain", headers={"ETag": tag})

    def hold(self, name: str) -> asyncio.Event:
        """Answers for a file only once the event that is returned is set."""
        return self._held.setdefault(name, asyncio.Event())

    @override
    def setup(self) -> ConnectorSetup:
        return ConnectorSetup(type="web", config={"start_urls": [f"{self._url}/"], "delay_seconds": 0.0})

    @override
    def expected(self) -> dict[str, Expected]:
        return {self._id(name): Expected(name=name, content=content) for name, content in self._contents.items()}

    def _id(self, name: str) -> str:
        return f"{self._url}/files/{quote(name, safe=_UNRESERVED)}"

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        self.put_now(name, content)
        return self._id(name)

    @override
    def put_now(self, name: str, content: bytes) -> None:
        self._contents[name] = content

    @override
    async def delete(self, source_id: str) -> None:
        name = next(name for name in self._contents if self._id(name) == source_id)
        self._removed[source_id] = (name, self._contents.pop(name))

    @override
    async def restore(self, source_id: str) -> None:
        name, content = self._removed.pop(source_id)
        self._contents[name] = content

    @override
    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        self._refused, self._retry_after = requests, retry_after

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        name = next(name for name in self._contents if self._id(name) == source_id)
        (self._broken.add if broken else self._broken.discard)(name)

    @override
    def page_size(self, items: int) -> None:
        self._patch.setattr(web_source, "_BATCH", items)

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        make, actions = web_source._page, [action]

        def page(*given: Any) -> Any:
            while actions:
                actions.pop()()
            return make(*given)

        self._patch.setattr(web_source, "_page", page)


_UNRESERVED = "!$'()*+,;=:@"
"""Beside letters and digits, what a path may hold as it is."""
