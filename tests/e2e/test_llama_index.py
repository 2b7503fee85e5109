"""LlamaIndex, in an environment of its own: its package for compatible servers needs an older `openai`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.programs import Programs, scripted_programs
from tests.drivers.snippets import to_run
from tests.drivers.up import Up

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "tests" / "fixtures" / "llama_index.txt"
ENVIRONMENT = ROOT / "build" / "llama-index"
PROGRAM = ROOT / "tests" / "drivers" / "llama_index_program.py"


@pytest.fixture(scope="module")
def python() -> str:
    """The interpreter of the environment, which is made by the first test that needs these packages."""
    made, program = ENVIRONMENT / PACKAGES.name, ENVIRONMENT / "bin" / "python"
    if not made.is_file() or made.read_text() != PACKAGES.read_text():
        # Without a `pip` of its own, and compiling only what is imported.
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", ENVIRONMENT], check=True)
        install = ("install", "-q", "--no-deps", "--no-compile", "-r", PACKAGES)
        subprocess.run([sys.executable, "-m", "pip", "--python", program, *install], check=True)
        made.write_text(PACKAGES.read_text())
    return str(program)


async def run(python: str, *arguments: str) -> str:
    """Returns what a program prints."""
    done = await asyncio.to_thread(
        subprocess.run, [python, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest_asyncio.fixture(loop_scope="session")
async def programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> AsyncIterator[Programs]:
    """An assistant with a scripted model."""
    async with scripted_programs(up, http, model_server, "In LlamaIndex") as made:
        yield made


@pytest.mark.timeout(400)
async def test_a_program_gets_a_call_of_its_tool_whole_and_streamed(programs: Programs, python: str) -> None:
    programs.server.script([Tools([("get_weather", {"city": "Berne"})]), Text("Yes, it rains.")] * 2)
    arguments = (f"{programs.up.url}/v1", programs.up.api_key, programs.model, "Does it rain in Berne?")
    answers = json.loads(await run(python, str(PROGRAM), *arguments))
    assert answers == [{"given": ["Berne"], "text": "Yes, it rains."}] * 2
    assert "It is raining." in str(programs.server.requests[-1]["messages"])


@pytest.mark.timeout(400)
async def test_the_snippet_of_the_guide_answers_from_the_documents(up: Up, python: str) -> None:
    (snippet,) = to_run("openai-api.md", "py")
    text = f"KEY = {up.api_key!r}\n{snippet.text.replace('http://127.0.0.1:8080', up.url)}"
    assert "Sources:" in await run(python, "-c", text)
