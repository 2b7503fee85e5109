"""A server on a real loopback port that transcribes sound and describes images, with OpenAI's routes.

What arrived is in `requests`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer


class MediaDouble:
    """A server. Attributes may be changed between requests."""

    def __init__(self) -> None:
        self.url = ""
        self.status = 200
        self.answer: Any = {"text": ""}
        self.headers: dict[str, str] = {}
        self.delay = 0.0
        self.requests: list[dict[str, Any]] = []
        self.app = web.Application(client_max_size=2**24)
        self.app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        self.app.router.add_post("/v1/chat/completions", self._describe)

    async def _transcribe(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        with file.file as opened:
            sent = {"name": file.filename, "type": file.content_type, "data": opened.read()}
        fields = {name: value for name, value in form.items() if name != "file"}
        self.requests.append(sent | fields | {"key": request.headers.get("Authorization", "")})
        return await self._answered()

    async def _describe(self, request: web.Request) -> web.Response:
        self.requests.append(await request.json())
        return await self._answered()

    async def _answered(self) -> web.Response:
        await asyncio.sleep(self.delay)
        if self.status != 200:
            reason = {"error": {"message": "not today, sk-secret"}}
            return web.json_response(reason, status=self.status, headers=self.headers)
        if isinstance(self.answer, str):
            return web.Response(text=self.answer, content_type="text/html")
        return web.json_response(self.answer)


@asynccontextmanager
async def media_server() -> AsyncIterator[MediaDouble]:
    """Starts a server."""
    double = MediaDouble()
    async with TestServer(double.app) as server:
        double.url = str(server.make_url("/v1"))
        yield double
