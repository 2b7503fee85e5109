"""A server of an embedding model on a real loopback port: OpenAI's `/v1/embeddings` and TEI's `/embed`.

Its vectors are those of a built-in model, moved away from the origin as those of many models are, so that they are as
good as real ones and differ from those of the embedding process. What arrived is in `requests`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from aiohttp import web
from aiohttp.test_utils import TestServer

from echomind_lib.embeddings import Embedder

_OFFSET = 1.2
"""Length of what is added to every vector, in one direction: similarities are between 0.5 and 1 then."""


class EmbeddingDouble:
    """The server. Attributes may be changed between requests."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.one_at_a_time = asyncio.Lock()
        """Vectors are made under it: who holds it makes requests wait."""
        self.api_key: str | None = None
        self.most_texts = 1000
        self.most_characters = 1_000_000
        self.failures: list[int] = []
        """Statuses of the next answers; the last one stays while `is_away`."""
        self.is_away = False
        self.dimension: int | None = None
        """Dimensions of its vectors; None for the model's own."""
        self.answer: Any = None
        """What is answered instead of vectors."""
        self.requests: list[dict[str, Any]] = []
        self.app = web.Application(client_max_size=64 * 2**20)
        self.app.router.add_post("/v1/embeddings", self._openai)
        self.app.router.add_post("/embed", self._tei)
        self.url = ""

    @property
    def texts(self) -> list[str]:
        """All texts that arrived in requests."""
        return [text for request in self.requests for text in request["texts"]]

    def _refusal(self, request: web.Request, texts: list[str]) -> web.Response | None:
        if self.is_away:
            return web.json_response({"error": "overloaded"}, status=503)
        if self.failures:
            return web.json_response({"error": "failed"}, status=self.failures.pop(0))
        if self.api_key and request.headers.get("Authorization") != f"Bearer {self.api_key}":
            given = request.headers.get("Authorization", "nothing")
            error = {"message": f"{given} is not valid", "code": "invalid_api_key"}
            return web.json_response({"error": error}, status=401)
        if len(texts) > self.most_texts:
            message = f"batch size {len(texts)} > maximum allowed batch size {self.most_texts}"
            return web.json_response({"error": message, "error_type": "Validation"}, status=422)
        if not all(texts):
            return web.json_response({"error": "`inputs` cannot be empty"}, status=400)
        return None

    async def _vectors(self, texts: list[str]) -> list[list[float]]:
        async with self.one_at_a_time:
            vectors = np.array(await asyncio.to_thread(self._embedder.embed_passages, texts))
        vectors[:, 0] += _OFFSET
        if self.dimension is not None:
            vectors = np.resize(vectors, (len(texts), self.dimension))
        return [[float(value) for value in vector] for vector in vectors]

    async def _openai(self, request: web.Request) -> web.Response:
        body = await request.json()
        texts = body["input"]
        self.requests.append({"protocol": "openai", "texts": texts, "model": body["model"]})
        if (refusal := self._refusal(request, texts)) is not None:
            return refusal
        if max(map(len, texts)) > self.most_characters:
            error = {"message": f"maximum context length is {self.most_characters}", "code": "context_length_exceeded"}
            return web.json_response({"error": error}, status=400)
        if self.answer is not None:
            return web.json_response(self.answer)
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(await self._vectors(texts))
        ]
        return web.json_response({"object": "list", "data": data[::-1], "model": body["model"]})

    async def _tei(self, request: web.Request) -> web.Response:
        body = await request.json()
        texts = body["inputs"]
        self.requests.append({"protocol": "tei", "texts": texts, "truncate": body.get("truncate", False)})
        if (refusal := self._refusal(request, texts)) is not None:
            return refusal
        if self.answer is not None:
            return web.json_response(self.answer)
        return web.json_response(await self._vectors(texts))


@asynccontextmanager
async def embedding_double(embedder: Embedder) -> AsyncIterator[EmbeddingDouble]:
    """Starts a server; its address is in `url`."""
    double = EmbeddingDouble(embedder)
    async with TestServer(double.app) as running:
        double.url = f"http://127.0.0.1:{running.port}"
        yield double
