"""The snippets of the guide's pages for programs, run as they are against the product."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from tests.drivers.snippets import run_python, to_run
from tests.drivers.up import Up

WEB = Path(__file__).parents[2] / "web"
"""Where the packages for JavaScript are installed."""
SNIPPETS = [(snippet.language, snippet.text) for snippet in to_run("openai-api.md", "python", "bash", "js")]


@pytest.mark.parametrize(("language", "text"), SNIPPETS, ids=[f"{each[0]} {n}" for n, each in enumerate(SNIPPETS)])
async def test_a_snippet_answers_from_the_documents(up: Up, language: str, text: str) -> None:
    """Only the address and the key are replaced."""
    text = text.replace("http://127.0.0.1:8080", up.url)
    if language == "python":
        shown = await run_python(f"KEY = {up.api_key!r}\n{text}")
    else:
        command = ["bash", "-ec", text] if language == "bash" else ["node", "--input-type=module", "-e", text]
        environment = os.environ | {"KEY": up.api_key}
        shown = await asyncio.to_thread(
            subprocess.check_output, command, text=True, timeout=120, cwd=WEB, env=environment
        )
    assert "Sources:" in shown
