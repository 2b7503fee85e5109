"""A pool of child processes that execute one kind of job, each one job at a time."""

import asyncio
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from echomind_lib.confined.process import ChildDiedError, ConfinedProcess

_Reply = TypeVar("_Reply")


class ConfinedPool:
    """Child processes that are started on demand and end after a minute without a job.

    A child that crashes, or takes too long or too much memory, only fails its current job. Jobs and replies are
    MessagePack.
    """

    def __init__(self, module: str, *, processes: int, seconds: float, jobs: int) -> None:
        """Initializes the pool without starting a process.

        Args:
            module: Module that a child runs; it calls `echomind_lib.confined.child.serve`.
            processes: Maximum number of concurrent jobs, 1 or more.
            seconds: Time-out of a job in a child, including waiting for a processor.
            jobs: Number of jobs after which a child is replaced, which frees memory leaked by libraries.
        """
        self._children = [ConfinedProcess(module, seconds=seconds, jobs=jobs) for _ in range(processes)]
        # Last in, first out: surplus children stay idle, and end.
        self._free: asyncio.LifoQueue[ConfinedProcess] = asyncio.LifoQueue()
        for child in self._children:
            self._free.put_nowait(child)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            await child.stop()

    async def ask(self, job: object, reply: type[_Reply]) -> _Reply:
        """Executes a job in a child, once one is free.

        Args:
            job: The job.
            reply: The type of the child's answer, which is checked.

        Raises:
            TimeoutError: The job timed out.
            ChildDiedError: The child crashed, or sent an invalid answer and was ended.
        """
        child = await self._free.get()
        try:
            answer = await child.ask(msgspec.msgpack.encode(job))
            try:
                return msgspec.msgpack.decode(answer, type=reply)
            except msgspec.DecodeError as error:
                await child.stop()
                raise ChildDiedError(None) from error
        finally:
            self._free.put_nowait(child)
