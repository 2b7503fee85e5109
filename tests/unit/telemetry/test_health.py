"""The health port of a service."""

from functools import partial

import aiohttp

from echomind.local.embedded.process import LOOPBACK, free_port
from echomind_lib.telemetry.health import serve_health


async def test_measurements_say_which_dependency_is_missing() -> None:
    missing = {"first"}

    async def check(name: str) -> None:
        if name in missing:
            raise ConnectionError(name)

    port = free_port()
    checks = {name: partial(check, name) for name in ("first", "second", "third")}
    others = {"third": checks.pop("third")}
    runner = await serve_health(LOOPBACK, port, checks, others=others)
    assert runner is not None
    try:
        async with aiohttp.ClientSession(f"http://{LOOPBACK}:{port}") as http:
            found = await _read(http)
            assert found == {"first": 0.0, "second": 1.0, "third": 1.0}
            async with http.get("/readyz") as ready:
                assert ready.status == 503
            missing.clear()
            missing.add("third")
            found = await _read(http)
            assert found == {"first": 1.0, "second": 1.0, "third": 0.0}
            async with http.get("/readyz") as ready:
                assert ready.status == 200
    finally:
        await runner.cleanup()


async def _read(http: aiohttp.ClientSession) -> dict[str, float]:
    """Returns the dependencies that the measurements name."""
    async with http.get("/metrics") as response:
        lines = (await response.text()).splitlines()
    beginning = 'echomind_dependency_up{dependency="'
    named = [line.removeprefix(beginning).split('"} ') for line in lines if line.startswith(beginning)]
    # Other tests of this process may have measured others.
    return {name: float(value) for name, value in named if name in {"first", "second", "third"}}
