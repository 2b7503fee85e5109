"""The health port of a service."""

from functools import partial
from pathlib import Path

import aiohttp

from echomind.local.embedded.process import LOOPBACK, free_port
from echomind_lib.config import DiskSettings
from echomind_lib.process.disk import DiskSpace
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


async def test_measurements_say_how_much_of_the_monitored_disk_is_free(tmp_path: Path) -> None:
    async def fail() -> None:
        raise ConnectionError("the database is away")

    port = free_port()
    disk = DiskSpace(DiskSettings(folder=str(tmp_path), reserve_mb=3))
    runner = await serve_health(LOOPBACK, port, {}, fail, disk=disk)
    assert runner is not None
    try:
        async with aiohttp.ClientSession(f"http://{LOOPBACK}:{port}") as http, http.get("/metrics") as response:
            lines = (await response.text()).splitlines()
    finally:
        await runner.cleanup()
    found = dict(line.rsplit(maxsplit=1) for line in lines if f'folder="{tmp_path}"' in line)
    assert float(found[f'echomind_disk_reserve_bytes{{folder="{tmp_path}"}}']) == 3 * 2**20
    used = disk.use
    assert used is not None
    assert float(found[f'echomind_disk_free_bytes{{folder="{tmp_path}"}}']) == used.free


async def _read(http: aiohttp.ClientSession) -> dict[str, float]:
    """Returns the dependencies that the measurements name."""
    async with http.get("/metrics") as response:
        lines = (await response.text()).splitlines()
    beginning = 'echomind_dependency_up{dependency="'
    named = [line.removeprefix(beginning).split('"} ') for line in lines if line.startswith(beginning)]
    # Other tests of this process may have measured others.
    return {name: float(value) for name, value in named if name in {"first", "second", "third"}}
