"""The health port of a service."""

import aiohttp

from echomind.local.embedded.process import LOOPBACK, free_port
from echomind_lib.telemetry.health import serve_health


async def test_measurements_say_which_dependency_is_missing() -> None:
    missing = {"first"}

    async def check(name: str) -> None:
        if name in missing:
            raise ConnectionError(name)

    port = free_port()
    checks = {"first": lambda: check("first"), "second": lambda: check("second")}
    runner = await serve_health(LOOPBACK, port, checks)
    assert runner is not None
    try:
        async with aiohttp.ClientSession(f"http://{LOOPBACK}:{port}") as http:
            found = await _read(http)
            assert {name: found[name] for name in checks} == {"first": 0.0, "second": 1.0}
            async with http.get("/readyz") as ready:
                assert ready.status == 503
            missing.clear()
            found = await _read(http)
            assert {name: found[name] for name in checks} == {"first": 1.0, "second": 1.0}
    finally:
        await runner.cleanup()


async def _read(http: aiohttp.ClientSession) -> dict[str, float]:
    """Returns the dependencies that the measurements name."""
    async with http.get("/metrics") as response:
        lines = (await response.text()).splitlines()
    beginning = 'echomind_dependency_up{dependency="'
    named = [line.removeprefix(beginning).split('"} ') for line in lines if line.startswith(beginning)]
    return {name: float(value) for name, value in named}
