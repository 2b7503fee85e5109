"""A network between two programs that can fail."""

import asyncio
from contextlib import suppress


class Relay:
    """Passes connections on to an address, until they are cut."""

    def __init__(self, target: str, sender: str = "") -> None:
        """`target` is a host with its port; connections to it come from the address `sender`."""
        self._host, _, self._port = target.partition(":")
        self._sender = (sender, 0) if sender else None
        self._writers: list[asyncio.StreamWriter] = []

    async def listen(self, port: int = 0) -> tuple[asyncio.Server, str]:
        """Returns where it listens."""
        server = await asyncio.start_server(self._forward, "127.0.0.1", port)
        return server, f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Drops all connections."""
        for writer in self._writers:
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection(self._host, int(self._port), local_addr=self._sender)
        self._writers += [writer, other_writer]
        await asyncio.gather(self._pump(reader, other_writer), self._pump(other_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(2**16):
                writer.write(data)
                await writer.drain()
        writer.close()
