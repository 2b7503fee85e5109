"""Bodies of HTTP responses, read completely within a limit."""

import aiohttp


async def read_at_most(response: aiohttp.ClientResponse, limit: int) -> bytes | None:
    """Returns a body; None if it is longer than `limit` bytes."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > limit:
            return None
    return bytes(body)
