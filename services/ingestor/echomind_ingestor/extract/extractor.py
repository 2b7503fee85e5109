"""Hands files to child processes that read them."""

import asyncio
import dataclasses
import os
import signal
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec
import structlog

from echomind_ingestor.extract.result import Extracted
from echomind_ingestor.extract.wire import LENGTH_BYTES, Job, Reply, frame, frame_length
from echomind_lib.errors import FileRejectedError

log = structlog.get_logger(__name__)

_SECONDS = 300.0
"""For one file, waiting for a processor included."""
_IDLE_SECONDS = 60.0
_FILES = 500
"""Files that one child reads: what its libraries leak goes with it."""
_LANGUAGE_SAMPLE = 100_000


class Extractor:
    """A few child processes, started when there is something to read and ended when there is nothing for a minute.

    A child that crashes, takes too long or too much memory harms only the file that it was at.
    """

    def __init__(self, processes: int) -> None:
        """Starts nothing yet.

        Args:
            processes: Files that are read at the same time, 1 or more.
        """
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        self._children = [_Child() for _ in range(processes)]
        for child in self._children:
            self._free.put_nowait(child)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            await child.stop()

    async def extract(self, data: bytes, name: str, content_type: str) -> Extracted:
        """Reads a file.

        Args:
            data: Its bytes.
            name: Its name; helps to tell what it is.
            content_type: The MIME type that its sender stated; may be empty.

        Raises:
            FileRejectedError: It cannot be read; the message says why and what to do.
        """
        child = await self._free.get()
        try:
            reply = await child.ask(Job(data, name, content_type))
        finally:
            self._free.put_nowait(child)
        if reply.extracted is None:
            raise FileRejectedError(reply.refusal, name=name)
        # Loaded here, as the child imports this package too and must stay small.
        from echomind_lib.retrieval.language import document_language

        language = await asyncio.to_thread(document_language, reply.extracted.text[:_LANGUAGE_SAMPLE])
        return dataclasses.replace(reply.extracted, language=language)


class _Child:
    """One child process, one file at a time."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._left = 0
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, job: Job) -> Reply:
        """Has a file read."""
        if self._idle is not None:
            self._idle.cancel()
        process = await self._ready()
        try:
            async with asyncio.timeout(_SECONDS):
                reply = await _exchange(process, job)
        except TimeoutError:
            await self.stop()
            return Reply(None, f"Reading the file takes more than {_SECONDS:.0f} seconds: divide it.")
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.DecodeError):
            status = await process.wait() if process.returncode is None else process.returncode
            await self.stop()
            log.warning("extraction child died", status=status, name=job.name)
            return Reply(None, _cause_of_death(status))
        except BaseException:
            await self.stop()  # its answer would be taken for the next file's
            raise
        self._left -= 1
        if self._left <= 0:
            await self.stop()
        else:
            self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._kill)
        return reply

    async def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._idle is not None:
            self._idle.cancel()
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _ready(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._left = _FILES
            # Nothing of our environment: it holds keys.
            environment = {key: os.environ[key] for key in ("PATH", "LANG", "LD_LIBRARY_PATH") if key in os.environ}
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "echomind_ingestor.extract.child",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        return self._process

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()


async def _exchange(process: asyncio.subprocess.Process, job: Job) -> Reply:
    if process.stdin is None or process.stdout is None:
        raise ConnectionError("the child has no pipes")
    process.stdin.write(frame(job))
    await process.stdin.drain()
    length = frame_length(await process.stdout.readexactly(LENGTH_BYTES))
    return msgspec.msgpack.decode(await process.stdout.readexactly(length), type=Reply)


def _cause_of_death(status: int | None) -> str:
    if status == -signal.SIGXCPU:
        return "Reading the file takes too much processor time: divide it."
    if status == -signal.SIGKILL:
        return "Reading the file takes too much memory: divide it."
    return "The file makes the program that reads it crash: open it, save it as PDF and upload that."
