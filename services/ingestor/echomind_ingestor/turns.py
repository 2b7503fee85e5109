"""The order of documents that a person waits for, and of all others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets the documents go first that a person waits for.

    While there are some, one other document is processed at a time: so a steady flow of uploads never stops a sync.
    """

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._first = 0
        self._background = 0

    @asynccontextmanager
    async def first(self) -> AsyncIterator[None]:
        """Context of a document that a person waits for, which starts at once."""
        self._first += 1
        try:
            yield
        finally:
            self._first -= 1
            await self._notify()

    @asynccontextmanager
    async def background(self) -> AsyncIterator[None]:
        """Context of another document, which starts when its turn has come."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._first or not self._background)
            self._background += 1
        try:
            yield
        finally:
            self._background -= 1
            await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
