"""Background work of the gateway."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

_RESTART_SECONDS = 1.0

log = structlog.get_logger(__name__)


@asynccontextmanager
async def running(works: Sequence[Callable[[], Awaitable[None]]]) -> AsyncIterator[None]:
    """Runs background work beside a block, and ends it with the block."""

    async def run(work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception:
                log.exception("background work failed and begins again", work=getattr(work, "__qualname__", ""))
                await asyncio.sleep(_RESTART_SECONDS)
            else:
                return

    tasks = [asyncio.create_task(run(work)) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
