"""Restores that are interrupted, or killed at any of their steps."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from echomind.backup import restore
from echomind.backup.postgres import DumpError
from echomind.backup.restore import RestoreError
from echomind.backup.servers import Servers
from echomind_lib.db import migrate
from echomind_lib.errors import NotFoundError
from echomind_lib.objects import ObjectStore
from tests.drivers.restores import KEY, backed_up, points, restored
from tests.drivers.stack import Stack
from tests.drivers.up import ECHOMIND


def _fail_contents(patch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise NotFoundError("Killed.", resource="object", id="")

    patch.setattr(restore, "_restore_contents", fail)


def _fail_dump(patch: pytest.MonkeyPatch) -> None:
    blocks = restore._dump_blocks

    def cut(*arguments: Any) -> Any:
        yield next(blocks(*arguments))[:5000]

    patch.setattr(restore, "_dump_blocks", cut)


def _fail_preparation(patch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise NotFoundError("Killed.", resource="object", id="")

    patch.setattr(restore, "prepare_restored", fail)


@pytest.mark.parametrize("interrupt", [_fail_contents, _fail_dump, _fail_preparation])
async def test_an_interrupted_restore_is_repeated(
    stack: Stack,
    source: Servers,
    target: Servers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interrupt: Callable[[pytest.MonkeyPatch], None],
) -> None:
    document_id = await stack.index("The garage opens at six.")
    file = tmp_path / "backup"
    await backed_up(source, file)
    with monkeypatch.context() as patch:
        interrupt(patch)
        with pytest.raises((NotFoundError, DumpError)):
            await restored(file, target)
    # Another backup must not be mixed with it.
    await backed_up(source, tmp_path / "other")
    with pytest.raises(RestoreError, match="not empty"):
        await restored(tmp_path / "other", target)
    await restored(file, target)
    connection = await asyncpg.connect(target.postgres_url)
    assert await connection.fetchval("SELECT status FROM documents WHERE id = $1", document_id) == "completed"
    await connection.close()
    objects = ObjectStore(target.s3)
    assert await objects.keys("restore/") == []
    await objects.close()


async def _line(process: asyncio.subprocess.Process, beginning: str) -> None:
    """Reads what a restore reports up to a line."""
    assert process.stderr is not None
    while not (line := await process.stderr.readline()).decode().startswith(beginning):
        assert line, f"it ended before {beginning}"


async def _until(found: Callable[[], Awaitable[Any]]) -> None:
    while not await found():  # noqa: ASYNC110 - another process does it
        await asyncio.sleep(0.01)


@pytest.mark.timeout(120)
async def test_a_restore_that_is_killed_at_any_step_is_repeated(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    """SIGKILL cannot be handled: while it verifies, marks, stores files and the database, and prepares that."""
    document_id = await stack.index("The garage opens at six.")
    await stack.pool.execute(
        "INSERT INTO web_sessions (token_hash, user_id, expires_at) VALUES (sha256('y'), $1, now() + interval '1 day')",
        stack.rows.user_id,
    )
    file = tmp_path / "backup"
    await backed_up(source, file)
    objects = ObjectStore(target.s3)
    await objects.ensure_bucket()
    connection = await asyncpg.connect(target.postgres_url)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ECHOMIND_")}
    environment |= {"ECHOMIND_POSTGRES__URL": target.postgres_url, "ECHOMIND_SECRETS__KEYS": KEY}
    environment |= {"ECHOMIND_QDRANT__URL": target.qdrant_url, "ECHOMIND_QDRANT__API_KEY": target.qdrant_key or ""}
    environment |= {"ECHOMIND_S3__ENDPOINT": target.s3.endpoint, "ECHOMIND_S3__BUCKET": target.s3.bucket}
    environment |= {"ECHOMIND_S3__ACCESS_KEY": target.s3.access_key}
    environment |= {"ECHOMIND_S3__SECRET_KEY": target.s3.secret_key.get_secret_value()}

    async def start() -> asyncio.subprocess.Process:
        command = [ECHOMIND, "restore", str(file), "--data-dir", str(tmp_path / "data")]
        return await asyncio.create_subprocess_exec(*command, env=environment, stderr=PIPE, stdin=DEVNULL)

    async def is_prepared() -> bool:
        has_tables = await connection.fetchval("SELECT to_regclass('web_sessions')")
        return bool(has_tables) and not await connection.fetchval("SELECT count(*) FROM web_sessions")

    async def has_tables() -> bool:
        return await migrate.current(target.postgres_url) is not None

    async def is_alone() -> bool:
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        return not await connection.fetchval(others)

    steps: dict[str, Callable[[asyncio.subprocess.Process], Coroutine[Any, Any, None]]] = {
        "verify": lambda process: _line(process, "Verifying"),
        "mark": lambda _: _until(lambda: objects.keys("restore/")),
        "files": lambda _: _until(lambda: objects.keys("documents/")),
        "dump": lambda process: _line(process, "Restoring the database"),
        "migrate": lambda _: _until(has_tables),
        "prepare": lambda _: _until(is_prepared),
    }
    killed = {}
    for step, reached in steps.items():
        process = await start()
        ended, waiting = asyncio.create_task(process.wait()), asyncio.create_task(reached(process))
        await asyncio.wait({ended, waiting}, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done(), f"it ended with {process.returncode} before {step}"
        waiting.result()
        if process.returncode is None:
            process.kill()
        killed[step] = await ended
        await _until(is_alone)  # what it had started ends with it
    assert {code for step, code in killed.items() if step != "prepare"} == {-signal.SIGKILL}, killed
    # The last step is so close to the end that all may have been done.
    is_complete = not await objects.keys("restore/")
    process = await start()
    _, report = await process.communicate()
    assert (process.returncode == 0) is not is_complete, report.decode()
    assert await connection.fetchval("SELECT status FROM documents WHERE id = $1", document_id) == "completed"
    await connection.close()
    assert await points(target, stack.collection) == await points(source, stack.collection)
    assert await objects.keys("restore/") == []
    assert len(await objects.keys(f"documents/{document_id}/")) > 1
    await objects.close()
