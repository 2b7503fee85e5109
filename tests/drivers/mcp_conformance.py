"""The protocol's conformance suite (npm `@modelcontextprotocol/conformance`), as a program of the tests."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Final

from playwright._impl._driver import compute_driver_executable

SUITE: Final = (
    Path(__file__).parents[2] / "web" / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
)
EXPECTED: Final = Path(__file__).parents[1] / "fixtures" / "mcp"
NODE: Final = compute_driver_executable()[0]
"""Playwright's Node.js: the suite needs a newer one than the web UI does."""


async def run_suite(side: str, revision: str, folder: Path, *options: str) -> dict[str, dict[str, str]]:
    """Runs what a revision requires of a server or a client.

    The suite fails if a check fails that its file of expected failures does not name, and if one passes that it does.

    Args:
        side: `server` or `client`.
        revision: The revision, such as `2026-07-28`.
        folder: Where the results are written.
        options: Further options.

    Returns:
        The status of each check, by scenario.

    Raises:
        AssertionError: The suite has failed.
    """
    expected = EXPECTED / f"expected-failures.{revision}.yml"
    await _run(folder, side, "--requirements", revision, "--expected-failures", str(expected), *options)
    return _checks_in(folder)


async def run_scenario(side: str, scenario: str, folder: Path, *options: str) -> dict[str, str]:
    """Runs a scenario that no revision requires; none of its checks may fail.

    Args:
        side: `server` or `client`.
        scenario: Its name.
        folder: Where the results are written.
        options: Where the server is, or what starts the client.

    Returns:
        The status of each check.

    Raises:
        AssertionError: The suite has failed.
    """
    await _run(folder, side, "--scenario", scenario, *options)
    return {name: status for checks in _checks_in(folder).values() for name, status in checks.items()}


async def _run(folder: Path, *arguments: str) -> None:
    assert SUITE.is_file(), "run `npm ci` in web/: it installs the conformance suite"
    done = await asyncio.to_thread(
        subprocess.run,
        [NODE, str(SUITE), *arguments, "--output-dir", str(folder)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def _checks_in(folder: Path) -> dict[str, dict[str, str]]:
    return {
        file.parent.name: {check["id"]: check["status"] for check in json.loads(file.read_text())}
        for file in sorted(folder.rglob("checks.json"))
    }
