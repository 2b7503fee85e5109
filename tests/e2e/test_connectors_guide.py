"""The commands of the guide's page on connectors work in their order."""

import asyncio
import json
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest_asyncio
from aiohttp import web

from tests.conformance.doubles.google.tenant import Grant
from tests.conformance.google import KEY
from tests.drivers.api_server import ApiServer
from tests.drivers.serving import answering, serving
from tests.drivers.shell import Shell
from tests.drivers.snippets import to_run
from tests.drivers.up import Up
from tests.drivers.vendors import Ports, vendors
from tests.paths import ROOT

PAGE = ROOT / "docs" / "guide" / "connectors.md"


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[str]:
    """A web site of one page."""

    async def answer(request: web.Request) -> web.Response:
        text = "<title>Buoys</title><p>The buoys are painted green.</p>" if request.path == "/" else ""
        return web.Response(text=text, status=200 if text else 404, content_type="text/html")

    async with serving(answering(answer)) as origin:
        yield f"{origin.replace('127.0.0.1', 'localhost')}/"


async def test_the_commands_of_the_guide_work(up: Up, site: str, vendor_ports: Ports, tmp_path: Path) -> None:
    shell = Shell(cast("ApiServer", SimpleNamespace(url=up.url)), tmp_path)

    async def run(*words: str) -> str:
        return str((await asyncio.to_thread(shell.run, *words, key=up.api_key)).stdout)

    async with vendors(vendor_ports) as served:
        ann, bob = served.google.person("ann"), served.google.person("bob")
        shared = served.google.add("Buoys.txt", ann, content=b"The buoys are painted green.")
        served.google.share(shared, Grant("user", bob), Grant("group", served.google.group("crew", bob)))
        credentials = tmp_path / "drive.json"
        credentials.write_text(json.dumps({"service_account": {"key": KEY, "subject": ann}}))
        drive = ["--type", "google_drive", "--set", "my_drive=yes", "--credentials-file", str(credentials)]
        await run("connectors", "add", "Drive", *drive)
        await run("connectors", "sync", "Drive", "--wait")
        await run("users", "add", "ann", bob)

        shown: dict[str, str] = {}
        unmapped = json.loads(await run("connectors", "people", "Drive", "--unmapped", "--json"))["people"]
        key = next(person["key"] for person in unmapped if person["email"] == bob)
        for line in "".join(snippet.text for snippet in to_run("connectors.md", "sh")).splitlines():
            command = line.replace("https://docs.example.com/", site).replace("user:google:1234", key)
            words = shlex.split(command)[1:]
            shown[" ".join(words[:2] + words[3:4])] = await run(*words)
    assert "passed" in shown["connectors test"]
    assert "completed" in shown["connectors syncs"]
    assert bob in shown["connectors people --unmapped"]
    assert "Crew" in shown["connectors groups"]
    assert key in shown["connectors aliases"]
    found = await asyncio.to_thread(up.json, "documents", "list", "--connector", "Handbook")
    assert [document["title"] for document in found["documents"]] == ["Buoys"]
