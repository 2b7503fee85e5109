"""Child processes whose word is not believed."""

import asyncio
import sys

import pytest

from echomind_lib.confined import process
from echomind_lib.confined.process import ChildDiedError, ConfinedProcess


async def child(code: str) -> ConfinedProcess:
    """A child that was taken over: it does as `code` says when a job comes."""
    confined = ConfinedProcess("unused", seconds=60, jobs=10)
    code = f"import os, sys, time; sys.stdin.buffer.read(9); {code}"
    confined._process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    return confined


@pytest.mark.parametrize("code", ["os.close(1)", "os.write(1, b'\\xff' * 8)"])
async def test_a_child_that_lives_on_is_ended(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_END_SECONDS", 0.2)
    confined = await child(f"{code}; time.sleep(600)")
    started = confined._process
    assert started is not None
    with pytest.raises(ChildDiedError) as caught:
        await confined.ask(b"x")
    assert caught.value.status is None
    assert started.returncode == -9


async def test_the_exit_status_of_a_child_is_its_own() -> None:
    with pytest.raises(ChildDiedError) as caught:
        await (await child("os.close(1); time.sleep(0.1); os._exit(7)")).ask(b"x")
    assert caught.value.status == 7
