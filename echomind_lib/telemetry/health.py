"""Liveness, readiness and metrics over HTTP, on a separate port."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web
    from prometheus_client import Gauge

    from echomind_lib.process.disk import DiskSpace

Check = Callable[[], Awaitable[None]]
"""Returns if a dependency responds, raises otherwise."""

_CHECK_SECONDS = 3.0


async def check_all(checks: Mapping[str, Check]) -> tuple[bool, dict[str, str]]:
    """Runs all checks concurrently, each for at most three seconds.

    Returns:
        Whether all passed, and `ok` or the kind of failure by dependency.
    """

    async def run_check(check: Check) -> str:
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await check()
        except Exception as error:  # noqa: BLE001 - whatever it is, the dependency is not ready
            return f"failed: {type(error).__name__}"
        return "ok"

    results = dict(zip(checks, await asyncio.gather(*map(run_check, checks.values())), strict=True))
    return all(result == "ok" for result in results.values()), results


async def serve_health(
    host: str,
    port: int,
    checks: Mapping[str, Check],
    measure: Check | None = None,
    *,
    others: Mapping[str, Check] | None = None,
    disk: "DiskSpace | None" = None,
) -> "web.AppRunner | None":
    """Serves `/healthz`, `/readyz` and `/metrics` for operators, without sign-in. Returns None if `port` is 0.

    The caller stops it with `cleanup()`.

    Args:
        host: Address to listen on.
        port: Port to listen on.
        checks: Checks of `/readyz`. `/metrics` has their results, too: a service that is not ready gets no calls, whose
            errors would show what is missing.
        measure: Called before each answer of `/metrics`, to update what is measured only then; what it raises is
            ignored, so that the other measurements are still served.
        others: Checks of what the service needs, but can be ready without; `/metrics` alone has their results.
        disk: A disk whose free space `/metrics` has, if a folder on it is monitored.
    """
    if port == 0:
        return None
    # Imported here, as processes without the port, such as the embedding process, need neither.
    from aiohttp import web
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    from echomind_lib.telemetry.disk import measure_disk

    async def measure_all() -> None:
        if disk is not None:
            measure_disk(disk)
        if measure is not None:
            await measure()

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def readyz(_: web.Request) -> web.Response:
        ready, results = await check_all(checks)
        return web.json_response({"ready": ready, "dependencies": results}, status=200 if ready else 503)

    async def metrics(_: web.Request) -> web.Response:
        every = {**checks, **(others or {})}
        checked, _measured = await asyncio.gather(check_all(every), check_all({"measure": measure_all}))
        for name, result in checked[1].items():
            _dependency_up().labels(name).set(result == "ok")
        return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner


@functools.cache
def _dependency_up() -> "Gauge":
    from prometheus_client import Gauge

    return Gauge("echomind_dependency_up", "Whether what the service needs responds: 1 or 0.", ["dependency"])
