"""A few child processes that do the same kind of job, each one at a time."""

import asyncio
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from echomind_lib.confined.process import ChildDiedError, ConfinedProcess

_Reply = TypeVar("_Reply")


class ConfinedPool:
    """Child processes that are started when there is something to do and end when there is nothing for a minute.

    A child that crashes, takes too long or too much memory harms only the job that it was at. Jobs and replies are
    MessagePack.
    """

    def __init__(self, module: str, *, processes: int, seconds: float, jobs: int) -> None:
        """Starts nothing yet.

        Args:
            module: Module that a child runs; it calls `echomind_lib.confined.child.serve`.
            processes: Jobs that are done at the same time, 1 or more.
            seconds: Until a job that a child has is given up, waiting for a processor included.
            jobs: That one child does, as what its libraries leak goes with it.
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
            TimeoutError: It took too long.
            ChildDiedError: The child ended over it, or answered something else and was ended.
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
