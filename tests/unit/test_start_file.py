"""A process that is started before its servers waits for them."""

import asyncio
from pathlib import Path

from echomind_lib.runtime.process import may_connect


async def test_a_process_waits_for_its_start_file(tmp_path: Path) -> None:
    file = tmp_path / "servers-are-ready"
    waiting = asyncio.create_task(may_connect(file))
    await asyncio.sleep(0)
    assert not waiting.done()
    file.touch()
    async with asyncio.timeout(60):
        await waiting


async def test_a_process_without_a_start_file_connects_at_once() -> None:
    async with asyncio.timeout(60):
        await may_connect(None)
