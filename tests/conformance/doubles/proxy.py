"""What stands before a real server on loopback, and answers instead of it where a test orders so."""

from typing import Any, Self
from urllib.parse import unquote

import aiohttp
from aiohttp import web
from yarl import URL

_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-encoding", "content-length"})


class FaultyProxy:
    """Passes requests on as they are, with their `Host`, which signatures hold."""

    def __init__(self, target: str) -> None:
        """Takes the origin of the server."""
        self._target = target
        self.origin = ""
        self.refusals: list[dict[str, str]] = []
        """Headers of answers with 429, given instead of the next ones."""
        self.is_revoked = False
        """Whether credentials are refused: by 401, or `revoked_status`."""
        self.revoked_status = 401
        self.revoked_body = ""
        self.broken: set[str] = set()
        """Paths that are answered by 500 when they are read."""

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=2**24)
        application.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._session = aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        if self.refusals:
            return web.Response(status=429, headers=self.refusals.pop(0))
        if self.is_revoked:
            return web.Response(status=self.revoked_status, text=self.revoked_body, content_type="application/xml")
        if request.method == "GET" and unquote(request.raw_path.partition("?")[0]) in self.broken:
            return web.Response(status=500)
        url: Any = URL(f"{self._target}{request.raw_path}", encoded=True)
        body = await request.read()
        async with self._session.request(
            request.method, url, headers=request.headers, data=body or None, allow_redirects=False
        ) as answer:
            headers = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP_BY_HOP}
            if request.method == "HEAD":
                headers["Content-Length"] = answer.headers.get("Content-Length", "0")
            return web.Response(status=answer.status, headers=headers, body=await answer.read())
