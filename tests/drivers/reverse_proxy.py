"""A small reverse proxy that serves the gateway under a path, as nginx, Caddy and Traefik do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
from aiohttp import web

_OWN_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "content-length"}
"""Headers of one connection, which a proxy does not pass on."""


@asynccontextmanager
async def serve_under(path: str, upstream: str, *, strips: bool) -> AsyncIterator[str]:
    """Serves what is at `upstream` under a path, and nothing beside it. Yields the address with the path.

    Args:
        path: Such as `/tools/echomind`.
        upstream: Address of the gateway.
        strips: Whether the path is taken off before a request is passed on.
    """
    async with aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()) as client:

        async def forward(request: web.Request) -> web.StreamResponse:
            target = request.raw_path.removeprefix(path) if strips else request.raw_path
            headers = {name: value for name, value in request.headers.items() if name.lower() not in _OWN_HOP}
            async with client.request(
                request.method,
                f"{upstream}{target or '/'}",
                headers=headers,
                data=await request.read() or None,
                allow_redirects=False,
            ) as answer:
                response = web.StreamResponse(status=answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in _OWN_HOP:
                        response.headers.add(name, value)
                with suppress(ConnectionError):  # the browser has disconnected
                    await response.prepare(request)
                    async for piece in answer.content.iter_any():
                        await response.write(piece)
                    await response.write_eof()
                return response

        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", path, forward)
        app.router.add_route("*", f"{path}/{{rest:.*}}", forward)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}{path}"
        finally:
            await runner.cleanup()
