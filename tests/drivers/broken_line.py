"""A line to a server that breaks when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class BrokenLine:
    """Passes on what a client and a server on this machine send.

    Attributes:
        url: The server's, through this line.
        cut: Connections end with the request that has this in it, before the server gets it; empty for none.
    """

    def __init__(self, target: int) -> None:
        self.url, self.cut = "", b""
        self._target = target

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes on one connection."""
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        passing = {asyncio.create_task(self._requests(reader, back)), asyncio.create_task(_pass(there, writer))}
        await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        for task in passing:
            task.cancel()
        await asyncio.gather(*passing, return_exceptions=True)
        writer.close()
        back.close()

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (piece := await reader.read(2**16)) and not (self.cut and self.cut in piece):
            writer.write(piece)
            await writer.drain()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(2**16):
        writer.write(piece)
        await writer.drain()


@asynccontextmanager
async def broken_line(url: str) -> AsyncIterator[BrokenLine]:
    """A line to the server at an address."""
    parts = urlsplit(url)
    line = BrokenLine(int(parts.port or 0))
    async with await asyncio.start_server(line.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        line.url = parts._replace(netloc=f"127.0.0.1:{port}").geturl()
        yield line
