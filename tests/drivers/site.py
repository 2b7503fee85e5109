"""A web site on loopback, under any host name, and a resolver that says what it is told to."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest_asyncio
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

from echomind_lib.network.fetching import AllowedHosts, Fetcher, FetchLimits
from tests.drivers.serving import serving

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Names(AbstractResolver):
    """Host names and their addresses, one list for each time that they are asked for; the last one stays."""

    def __init__(self) -> None:
        self.addresses: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        self._below = ""

    def any_below(self, domain: str) -> None:
        """Lets all names below a domain have its address."""
        self._below = domain

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        is_below = bool(self._below) and host.endswith(f".{self._below}")
        answers = self.addresses.get(self._below if is_below else host)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=0,
            )
            for address in found
        ]

    @override
    async def close(self) -> None:
        """Holds nothing."""


class Site:
    """A server whose paths are set by the test. It answers to `site.test`, which is allowed, and to its address."""

    def __init__(self) -> None:
        self.names = Names()
        self.handlers: dict[str, Handler] = {}
        self.otherwise: Handler | None = None
        self.requests: list[web.Request] = []
        self.port = 0

    def url(self, path: str = "/", host: str = "site.test") -> str:
        return f"http://{host}:{self.port}{path}"

    def serve(self, path: str, body: bytes | str, content_type: str | None = "text/html", **headers: str) -> str:
        """Serves a body; returns its address."""

        async def handle(request: web.Request) -> web.StreamResponse:
            data = body.encode() if isinstance(body, str) else body
            response = web.Response(body=data, headers={name.replace("_", "-"): v for name, v in headers.items()})
            if content_type is not None:
                response.headers["Content-Type"] = content_type
            return response

        self.handlers[path] = handle
        return self.url(path)

    def redirect(self, path: str, target: str, status: int = 302) -> str:
        async def handle(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": target})

        self.handlers[path] = handle
        return self.url(path)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        handler = self.handlers.get(request.path, self.otherwise)
        return web.Response(status=404) if handler is None else await handler(request)

    def __iter__(self) -> Iterator[str]:
        return (request.path for request in self.requests)


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    site.names.addresses["site.test"] = [["127.0.0.1"]]
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", site._handle)
    async with serving(application) as origin:
        site.port = int(origin.rpartition(":")[2])
        yield site


@pytest_asyncio.fixture
async def fetcher(site: Site) -> AsyncIterator[Fetcher]:
    """Reaches `site.test` alone of what is not public."""
    async with Fetcher(AllowedHosts("site.test"), FetchLimits(bytes=100_000, seconds=5), site.names) as fetcher:
        yield fetcher
