"""The dump of the database, by PostgreSQL's own programs."""

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from urllib.parse import unquote, urlsplit

from echomind.local.embedded.postgres import client_program

# Owners, rights and comments of extensions may not be set by the owner of another database.
_DUMP = ("--format=custom", "--compress=gzip:1", "--no-owner", "--no-privileges", "--no-comments")
_BLOCK = 4 * 1024 * 1024
_MESSAGE_CHARACTERS = 1000


class DumpError(Exception):
    """`pg_dump` or `pg_restore` failed; the message is its own."""


async def dump(url: str, snapshot: str) -> AsyncGenerator[bytes]:
    """Yields the dump of a database as of a snapshot, in the custom format.

    Raises:
        DumpError: It failed.
        StartError: `pg_dump` is not installed.
    """
    async with _program("pg_dump", url, *_DUMP, f"--snapshot={snapshot}") as process:
        assert process.stdout is not None
        while block := await _full_block(process.stdout):
            yield block


async def restore(url: str, blocks: Iterable[bytes]) -> None:
    """Restores a dump into an empty database: everything, or after a failure nothing.

    Raises:
        DumpError: It failed.
        StartError: `pg_restore` is not installed.
    """
    arguments = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    async with _program("pg_restore", url, *arguments) as process:
        assert process.stdin is not None
        try:
            for block in blocks:
                process.stdin.write(block)
                await process.stdin.drain()
            process.stdin.close()
            await process.stdin.wait_closed()
        except ConnectionError:
            return  # it ended early, and its exit code says why


async def _full_block(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readexactly(_BLOCK)
    except asyncio.IncompleteReadError as error:
        return error.partial


@asynccontextmanager
async def _program(name: str, url: str, *arguments: str) -> AsyncIterator[Process]:
    """Runs a program with a database, without its password among the arguments, and waits for its end.

    Raises:
        DumpError: It failed.
    """
    address = urlsplit(url)
    host = address.netloc.rpartition("@")[2]
    user = f"{address.username}@" if address.username else ""
    process = await asyncio.create_subprocess_exec(
        client_program(name),
        *arguments,
        f"--dbname={address._replace(netloc=f'{user}{host}').geturl()}",
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=_BLOCK,
        env={**os.environ, "PGPASSWORD": unquote(address.password or ""), "PGTZ": "UTC", "LC_ALL": "C"},
        start_new_session=True,
    )
    assert process.stderr is not None
    messages = asyncio.create_task(process.stderr.read())
    try:
        yield process
    except BaseException:
        if process.returncode is None:
            process.kill()
        await process.wait()
        raise
    if await process.wait() != 0:
        text = (await messages).decode(errors="replace").strip()
        raise DumpError(f"{name} failed: {text[-_MESSAGE_CHARACTERS:]}")
