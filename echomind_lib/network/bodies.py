"""Bodies of HTTP responses, read completely within a limit."""

import aiohttp


async def read_at_most(response: aiohttp.ClientResponse, most: int) -> bytes | None:
    """Returns a body; None if it is longer than `most` bytes."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > most:
            return None
    return bytes(body)
