"""The parent's side: a child process that is started on demand and ended when idle."""

import asyncio
import signal
import sys
from contextlib import suppress

from echomind_lib.confined.child import LENGTH_BYTES
from echomind_lib.confined.folder import PrivateFolder
from echomind_lib.confined.parent import bare_environment, parent_death_signal

_IDLE_SECONDS = 30.0
"""Time after which a child without jobs is ended: it has 41 MiB, and more once it has read a PDF or a sheet."""
_END_SECONDS = 5.0
"""Time from the end of a child's output to its exit."""
_MAX_ANSWER = 2**30
"""Maximum bytes of an answer, as the length sent by a compromised child cannot be trusted."""


class ChildDiedError(Exception):
    """The child died during a job.

    Attributes:
        status: Its exit status; a negative one is the signal that killed it, None if it was still alive without a valid
            answer.
    """

    def __init__(self, status: int | None) -> None:
        super().__init__(f"the child ended with status {status}")
        self.status = status


class ConfinedProcess:
    """One child process, one job at a time. A job that crashes or hangs it does not affect other jobs."""

    def __init__(self, module: str, *, seconds: float, jobs: int) -> None:
        """Initializes the object without starting a process.

        Args:
            module: Module that the child runs; it calls `echomind_lib.confined.child.serve`.
            seconds: Time-out of a job, including waiting for a processor.
            jobs: Number of jobs after which the child is replaced, which frees memory leaked by libraries.
        """
        self._module = module
        self._seconds = seconds
        self._jobs = jobs
        self._process: asyncio.subprocess.Process | None = None
        self._folder: PrivateFolder | None = None
        self._left = 0
        self._idle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        """Returns whether there is a process now."""
        return self._process is not None and self._process.returncode is None

    async def ask(self, job: bytes) -> bytes:
        """Executes a job.

        Raises:
            TimeoutError: The job timed out.
            ChildDiedError: The child died during the job.
        """
        if self._idle is not None:
            self._idle.cancel()
        process = await self._ready()
        try:
            async with asyncio.timeout(self._seconds):
                answer = await _exchange(process, job)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_END_SECONDS):
                        await process.wait()
            finally:
                status = process.returncode  # None: the child has closed its pipes but still runs
                await self.stop()
            raise ChildDiedError(status) from error
        except BaseException:
            await self.stop()  # a late answer would be read as the next job's
            raise
        self._left -= 1
        if self._left <= 0:
            await self.stop()
        else:
            self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._kill)
        return answer

    async def stop(self) -> None:
        """Ends the process if it is running."""
        if self._idle is not None:
            self._idle.cancel()
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._remove_folder()

    async def _ready(self) -> asyncio.subprocess.Process:
        if not self.is_running:
            self._left = self._jobs
            self._remove_folder()
            self._folder = PrivateFolder()
            self._process = await asyncio.create_subprocess_exec(
                *parent_death_signal(signal.SIGKILL),
                sys.executable,
                "-P",  # import nothing from the working directory
                "-m",
                self._module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={**bare_environment(), "TMPDIR": self._folder.path},
                start_new_session=True,
            )
        assert self._process is not None
        return self._process

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
        self._remove_folder()

    def _remove_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.remove()


async def _exchange(process: asyncio.subprocess.Process, job: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise ConnectionError("the child has no pipes")
    process.stdin.write(len(job).to_bytes(LENGTH_BYTES, "little") + job)
    await process.stdin.drain()
    length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "little")
    if length > _MAX_ANSWER:
        raise ConnectionError("the child's answer is too long")
    return await process.stdout.readexactly(length)
