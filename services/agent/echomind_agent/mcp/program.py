"""The transport to a program: one JSON-RPC message per line on its standard input and output.

Not the SDK's transport, which reads lines of any length, and does not end the children of a program that exits by
itself.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

import anyio
import mcp_types
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from echomind_agent.mcp.programs import Programs
from echomind_agent.mcp.server import Server
from echomind_lib.confined.folder import PrivateFolder
from echomind_lib.confined.launch import MODULE, Launch
from echomind_lib.confined.parent import bare_environment, parent_death_signal

log = structlog.get_logger(__name__)

MESSAGE_BYTES = 8 * 2**20
"""Maximum length of a message; a program that writes a longer one is stopped."""
GRACE_SECONDS = 2.0
"""Time for a program to exit after its input is closed, and again after SIGTERM; SIGKILL follows."""
_POLL_SECONDS = 0.02
_LAST_WORDS_SECONDS = 1.0
_ERROR_PIECES = 16
_PIECE_BYTES = 256

Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sent = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def run_program(
    server: Server, programs: Programs, on_end: Callable[[], None]
) -> AsyncGenerator[tuple[Received, Sent], None]:
    """Starts a server's program and yields its streams; stops the program and all its children at the end.

    It is confined by `programs`, has a minimal environment in addition to its own variables, and a home folder that is
    removed at its end. Its standard error is logged if it exits too early. On Linux the program, but not its children,
    is killed when this process dies.

    Args:
        server: The server.
        programs: Decides whether and how it is started.
        on_end: Called when the program's output ends.

    Raises:
        ProgramRefusedError: The program may not be started here.
        OSError: The program cannot be started.
    """
    home = await asyncio.to_thread(PrivateFolder)
    try:
        launch = await asyncio.to_thread(programs.launch, server.command, server.args, server.env, home.path)
        async with _started(server, launch, on_end) as streams:
            yield streams
    finally:
        await asyncio.to_thread(home.remove)


@asynccontextmanager
async def _started(
    server: Server, launch: Launch, on_end: Callable[[], None]
) -> AsyncGenerator[tuple[Received, Sent], None]:
    process = await asyncio.create_subprocess_exec(
        *parent_death_signal(signal.SIGKILL),
        sys.executable,
        "-I",  # isolated: neither the environment nor the working directory decides what the launcher runs
        "-m",
        MODULE,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=bare_environment(),
        limit=MESSAGE_BYTES,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(launch.to_bytes())
    put_received, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, take_sent = anyio.create_memory_object_stream[SessionMessage](0)
    errors: deque[bytes] = deque(maxlen=_ERROR_PIECES)
    tasks = [
        asyncio.create_task(_read(process, put_received, on_end)),
        asyncio.create_task(_write(process, take_sent)),
        asyncio.create_task(_keep_errors(process, errors)),
    ]
    try:
        yield received, sent
    finally:
        # The output may end before the process has an exit code.
        ended_early = process.returncode is not None or tasks[0].done()
        try:
            await _stop(process)
            if ended_early:
                # The last error output may still be in the pipe, which a child process may hold open.
                await asyncio.wait(tasks[2:], timeout=_LAST_WORDS_SECONDS)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stream in (put_received, received, sent, take_sent):
                stream.close()
            # Nothing else closes the transport while a child process that left the group holds a pipe.
            process._transport.close()  # type: ignore[attr-defined]
        if ended_early:
            text = server.masked(b"".join(errors).decode(errors="replace"))
            log.warning("program of an MCP server ended", server=server.name, code=process.returncode, stderr=text)


async def _read(
    process: asyncio.subprocess.Process,
    received: MemoryObjectSendStream[SessionMessage | Exception],
    on_end: Callable[[], None],
) -> None:
    assert process.stdout is not None
    try:
        async with received:
            while line := await process.stdout.readline():
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    continue  # not a message: some programs print banners
                await received.send(SessionMessage(message))
    except ValueError:
        log.warning("message of an MCP server is too long", max_bytes=MESSAGE_BYTES)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the reader is closed
    finally:
        on_end()


async def _write(process: asyncio.subprocess.Process, sent: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async with sent:
        async for item in sent:
            process.stdin.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            try:
                await process.stdin.drain()
            except (ConnectionError, BrokenPipeError):
                return  # `_read` reports the end of the program


async def _keep_errors(process: asyncio.subprocess.Process, errors: deque[bytes]) -> None:
    assert process.stderr is not None
    while piece := await process.stderr.read(_PIECE_BYTES):
        errors.append(piece)


async def _stop(process: asyncio.subprocess.Process) -> None:
    try:
        assert process.stdin is not None
        process.stdin.close()
        if not await _has_ended(process):
            _signal_group(process, signal.SIGTERM)
            await _has_ended(process)
    finally:
        # Ends the remaining child processes, too.
        _signal_group(process, signal.SIGKILL)
        await _has_ended(process)


async def _has_ended(process: asyncio.subprocess.Process) -> bool:
    # Not `wait()`, which also waits until child processes close the pipes.
    deadline = asyncio.get_running_loop().time() + GRACE_SECONDS
    while process.returncode is None:
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(_POLL_SECONDS)
    return True


def _signal_group(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
