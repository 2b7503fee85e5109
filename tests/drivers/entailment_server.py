"""An entailment model on a real loopback port, with the route `/predict` of Text Embeddings Inference.

A sentence is entailed if the source has all of its words. What arrived is in `requests`.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

_WORD = re.compile(r"\w+")


class EntailmentDouble:
    """A server. Attributes may be changed between requests."""

    def __init__(self) -> None:
        self.url = ""
        self.label = "entailment"
        self.status = 200
        self.is_slow = False
        self.answer: Any = None
        """What is answered instead of scores."""
        self.requests: list[dict[str, Any]] = []
        self.app = web.Application()
        self.app.router.add_post("/predict", self._predict)

    async def _predict(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        if self.is_slow:
            await asyncio.Event().wait()
        if self.status != 200:
            return web.json_response({"error": "overloaded"}, status=self.status)
        return web.json_response(self.answer if self.answer is not None else [self._score(*p) for p in body["inputs"]])

    def _score(self, source: str, sentence: str) -> list[dict[str, Any]]:
        words = set(_WORD.findall(sentence.lower()))
        score = 0.97 if words <= set(_WORD.findall(source.lower())) else 0.02
        return [{"label": self.label, "score": score}, {"label": "neutral", "score": 1 - score}]


@asynccontextmanager
async def entailment_server() -> AsyncIterator[EntailmentDouble]:
    """Starts a server."""
    double = EntailmentDouble()
    async with TestServer(double.app) as server:
        double.url = str(server.make_url("")).rstrip("/")
        yield double
