"""`echomind import` of files against the product: killed in the middle and repeated, and a file of 100 MB."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.drivers.shell import shell_environment
from tests.drivers.up import ECHOMIND, Up

COUNT = 120
MEBIBYTE = 2**20


def _chat(name: str, texts: list[str], *, other: str = "") -> dict[str, Any]:
    """Returns a conversation of Open WebUI; `other` is another answer to its first question."""
    messages: dict[str, Any] = {}
    for number, text in enumerate(texts):
        entry = {"id": f"m{number}", "parentId": f"m{number - 1}" if number else None, "content": text}
        messages[f"m{number}"] = entry | {
            "role": "assistant" if number % 2 else "user",
            "timestamp": 1_700_000_000 + number,
        }
    if other:
        messages["other"] = messages["m1"] | {"id": "other", "content": other}
    history = {"messages": messages, "currentId": f"m{len(texts) - 1}"}
    return {"id": name, "title": name, "chat": {"history": history}, "created_at": 1_700_000_000}


def _start(up: Up, *arguments: str) -> Any:
    given = shell_environment(ECHOMIND_URL=up.url, ECHOMIND_API_KEY=up.api_key, NO_COLOR="1")
    environment = {name: value for name, value in (os.environ | given).items() if value is not None}
    return asyncio.create_subprocess_exec(
        ECHOMIND, "import", *arguments, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


def _sessions(up: Up, prefix: str) -> list[dict[str, Any]]:
    listed = up.json("sessions", "list", "--limit", "1000")["chatSessions"]
    return [each for each in listed if each["title"].startswith(prefix)]


@pytest.fixture
def tidy(up: Up) -> Iterator[None]:
    """Removes what was imported."""
    yield
    for session in [*_sessions(up, "killed"), *_sessions(up, "large")]:
        up.run("sessions", "remove", str(session["id"]), "--yes")


@pytest.mark.usefixtures("tidy")
async def test_an_import_that_is_killed_is_repeated_and_nothing_is_lost_or_twice(up: Up, tmp_path: Path) -> None:
    path = tmp_path / "killed.json"
    names = [f"killed {number}" for number in range(COUNT)]
    path.write_text(json.dumps([_chat(name, ["Q", f"A of {name}", "More?", "No."], other="B") for name in names]))
    process = await _start(up, "conversations", str(path))
    async with asyncio.timeout(120):
        while len(await asyncio.to_thread(_sessions, up, "killed")) < 5:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    before = len(await asyncio.to_thread(_sessions, up, "killed"))
    assert 5 <= before < COUNT
    report = await asyncio.to_thread(up.json, "import", "conversations", str(path))
    assert report["imported"] + report["importedBefore"] == COUNT
    assert report["importedBefore"] >= before
    assert report["failed"] == []
    found = await asyncio.to_thread(_sessions, up, "killed")
    assert sorted(each["title"] for each in found) == sorted(names)
    assert {each["messageCount"] for each in found} == {5}, "with the branch that is not shown"
    again = await asyncio.to_thread(up.json, "import", "conversations", str(path))
    assert (again["imported"], again["importedBefore"]) == (0, COUNT)


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("tidy")
async def test_a_file_of_100_mb_takes_little_memory(up: Up, tmp_path: Path) -> None:
    path, count = tmp_path / "large.json", 50
    with path.open("w") as file:
        for number in range(count):
            text = json.dumps(_chat(f"large {number}", ["x" * 50_000] * 42))
            file.write(f"{',' if number else '['}{text}")
        file.write("]")
    assert path.stat().st_size > 100 * MEBIBYTE
    began = time.monotonic()
    process = await _start(up, "conversations", str(path), "--json")
    ended = asyncio.create_task(process.communicate())
    largest = 0
    while not ended.done():
        with suppress(psutil.Error):
            largest = max(largest, psutil.Process(process.pid).memory_info().rss)
        await asyncio.wait((ended,), timeout=0.05)
    output, errors = ended.result()
    assert process.returncode == 0, errors.decode()
    report = json.loads(output)
    assert (report["imported"], report["failed"]) == (count, [])
    assert largest < 200 * MEBIBYTE
    print(f"100 MB in {time.monotonic() - began:.1f} s with {largest / MEBIBYTE:.0f} MB")  # noqa: T201 -- a measurement
