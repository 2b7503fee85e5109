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
        self._free = list(self._children)
        self._slots = asyncio.Semaphore(processes)
        self._owners: dict[ConfinedProcess, object] = {}
        """Whose jobs a child has seen."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            await child.stop()

    async def ask(self, job: object, reply: type[_Reply], *, owner: object = None) -> _Reply:
        """Executes a job in a child, once one is free.

        Args:
            job: The job.
            reply: The type of the child's answer, which is checked.
            owner: Whose job it is. A child has jobs of one owner, so that what takes it over reads and changes nothing
                of others.

        Raises:
            TimeoutError: The job timed out.
            ChildDiedError: The child crashed, or sent an invalid answer and was ended.
        """
        async with self._slots:
            child = self._take(owner)
            try:
                return await self._ask(child, job, reply, owner)
            finally:
                self._free.append(child)

    def _take(self, owner: object) -> ConfinedProcess:
        """Returns the free child to use.

        The owner's that was used last, so that surplus ones stay idle and end; or else one that is not running, or the
        one that was used least recently.
        """
        running = [child for child in self._free if child.is_running]
        own = [child for child in running if self._owners.get(child) == owner]
        others = [child for child in self._free if not child.is_running] or running
        chosen = own[-1] if own else others[0]
        self._free.remove(chosen)
        return chosen

    async def _ask(self, child: ConfinedProcess, job: object, reply: type[_Reply], owner: object) -> _Reply:
        if self._owners.get(child) != owner:
            await child.stop()
            self._owners[child] = owner
        answer = await child.ask(msgspec.msgpack.encode(job))
        try:
            return msgspec.msgpack.decode(answer, type=reply)
        except msgspec.DecodeError as error:
            await child.stop()
            raise ChildDiedError(None) from error
