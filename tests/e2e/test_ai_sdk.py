"""Vercel's AI SDK, by its packages for OpenAI's API and for compatible ones: calls of its tools, and sources."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest_asyncio

from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.programs import Programs, scripted_programs
from tests.drivers.up import Up

PROGRAM = (Path(__file__).parents[1] / "drivers" / "ai_sdk.mjs").read_text()
WEB = Path(__file__).parents[2] / "web"
"""Where the packages are installed."""
SEARCH = Tools([("search_documents", {"query": "How do I add my own documents?"})])
CALL = Tools([("get_weather", {"city": "Berne"})])
CITED = Text("A folder is added with echomind ingest [1].")


@pytest_asyncio.fixture(loop_scope="session")
async def programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> AsyncIterator[Programs]:
    """An assistant with a scripted model."""
    async with scripted_programs(up, http, model_server, "In Typescript") as made:
        yield made


async def test_a_program_gets_a_call_of_its_tool_and_sources(programs: Programs) -> None:
    """By each package, whole and streamed, in one process: the start of one takes longer than its answers."""
    kinds = ("responses", "chat", "compatible")
    ways = [{"kind": kind, "isStream": is_stream} for kind in kinds for is_stream in (False, True)]
    programs.server.script([CALL, SEARCH, CITED] * len(ways))
    for way, answer in zip(ways, await ask(programs, ways, "How do I add documents?"), strict=True):
        assert answer["errors"] == [], way
        assert answer["given"] == [{"city": "Berne"}], way
        assert answer["text"].startswith("A folder is added with echomind ingest [1].\n\nSources:\n[1] ["), way
        assert answer["finishReason"] == "stop", way
        assert answer["usage"]["totalTokens"] > 0, way
        if way["kind"] != "compatible":  # which reads no annotations
            assert answer["sources"][0]["url"].startswith(f"{programs.up.url}/documents/"), way


async def ask(programs: Programs, ways: list[dict[str, Any]], prompt: str) -> list[dict[str, Any]]:
    """Asks by the AI SDK; returns the text, the arguments of its tool, the sources and the usage, for each way."""
    server = {"baseURL": f"{programs.up.url}/v1", "apiKey": programs.up.api_key, "model": programs.model}
    done = await asyncio.to_thread(
        subprocess.run,
        ["node", "--input-type=module", "-e", PROGRAM, json.dumps(server | {"ways": ways, "prompt": prompt})],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=WEB,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers
