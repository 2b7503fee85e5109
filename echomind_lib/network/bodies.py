"""Bodies of HTTP responses, read whole within a limit."""

import aiohttp


async def read_at_most(response: aiohttp.ClientResponse, most: int) -> bytes | None:
    """Returns a body; None when it has more bytes than that."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > most:
            return None
    return bytes(body)
