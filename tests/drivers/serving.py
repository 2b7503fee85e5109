"""Web applications of tests, on a free port of loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def serving(application: web.Application) -> AsyncIterator[str]:
    """Serves an application; yields its origin, such as `http://127.0.0.1:41234`."""
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def answering(handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> web.Application:
    """Returns an application that answers all requests by one handler."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    return application
