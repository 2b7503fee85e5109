"""A backup file of the last release, restored and started by this code; it has the data of the older data folder."""

import asyncio
import json
import lzma
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.drivers.data_folder import execute
from tests.drivers.model_server import ModelServer
from tests.drivers.up import ECHOMIND, start_up, stop_up, wait_ready
from tests.drivers.upgraded import Installation, answer

FIXTURES = Path(__file__).parents[2] / "fixtures"
MADE: dict[str, Any] = json.loads((FIXTURES / "data_folder" / "made.json").read_text())


@pytest.mark.timeout(300)
async def test_what_the_file_has_is_there_and_unfinished_work_is_completed(tmp_path: Path) -> None:
    file, data_dir = tmp_path / "backup", tmp_path / "data"
    file.write_bytes(lzma.decompress((FIXTURES / "release" / "backup.xz").read_bytes()))
    command = [ECHOMIND, "restore", str(file), "--data-dir", str(data_dir)]
    restoring = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    _, report = await restoring.communicate()
    assert restoring.returncode == 0, report.decode()
    async with ModelServer() as model:
        model.respond(answer)
        moved = f"UPDATE llms SET endpoint = '{model.url}' WHERE name = 'Connected'"
        await asyncio.to_thread(execute, data_dir, moved)
        up = start_up(data_dir)
        try:
            await asyncio.to_thread(wait_ready, up)
            headers = {"Authorization": f"Bearer {up.api_key}"}
            async with aiohttp.ClientSession(up.url, headers=headers) as http:
                await _is_whole(Installation(up, http, model))
        finally:
            await asyncio.to_thread(stop_up, up)


async def _is_whole(restored: Installation) -> None:
    assert await restored.call("GET", "users/me", key=MADE["apiKey"]) == await restored.call("GET", "users/me")
    for document, query in zip(MADE["documents"], ("colour of the archive's door", "days of paid leave"), strict=True):
        (hit, *_) = (await restored.call("POST", "search", {"query": query}))["hits"]
        assert (hit["documentId"], hit["title"]) == (document["id"], document["title"])
    for made in MADE["sessions"].values():
        messages = (await restored.call("GET", f"chat-sessions/{made['session']}/messages"))["messages"]
        before = [(message["id"], message["role"]) for message in made["messages"]]
        assert [(message["id"], message["role"]) for message in messages] == before
        events = await restored.events(made["session"], made["events"][-1])
        assert [int(event["id"]) for event in events] == made["events"]
    paused, approval = MADE["sessions"]["paused"]["run"]["id"], MADE["sessions"]["approval"]["run"]["id"]
    await restored.call("POST", f"runs/{paused}:resume", {})
    await restored.call("POST", f"runs/{approval}:approveToolCall", {"approved": True})
    for run_id in (paused, approval):
        assert (await restored.completed(run_id))["content"] == "In parts.\n\nAll is found."
    assert restored.model.headers[-1]["authorization"] == f"Bearer {MADE['modelKey']}"
