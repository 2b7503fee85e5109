"""Servers of rerankers on a real loopback port, with the routes of Cohere, Jina, vLLM and TEI as these describe them.

The score of a text is the share of the question's words that it has; of the passages of a calibration, the right one
has the best. What arrived is in `requests`.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from echomind_lib.db.words import RerankProtocol
from echomind_lib.embeddings.calibrated import questions

_WORD = re.compile(r"\w+")
_FIELDS = {
    "cohere": {"model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"},
    "jina": {"model", "query", "documents", "top_n", "return_documents", "truncation"},
    "vllm": {"model", "query", "documents", "top_n", "truncate_prompt_tokens"},
    "tei": {"query", "texts", "raw_scores", "return_text", "truncate", "truncation_direction"},
}
"""What a request may have; others are refused."""
_TEI_TEXTS = 32
PATHS = {"cohere": "/v2/rerank", "jina": "/v1/rerank", "vllm": "/v1/rerank", "tei": "/rerank"}


def _answers() -> dict[str, str]:
    return dict(questions()["en"])


class RerankDouble:
    """A server. Attributes may be changed between requests."""

    def __init__(self, protocol: RerankProtocol) -> None:
        self.protocol = protocol
        self.api_key: str | None = None
        self.is_reversed = False
        """Whether the worst text gets the best score."""
        self.is_away = False
        self.answer: Any = None
        """What is answered instead of scores."""
        self.hangs = asyncio.Event()
        """Requests wait for it while `is_slow`."""
        self.is_slow = False
        self.requests: list[dict[str, Any]] = []
        self.app = web.Application()
        self.app.router.add_post(PATHS[protocol], self._rerank)
        self.url = ""

    async def _rerank(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        if self.is_slow:
            await self.hangs.wait()
        if self.is_away:
            return web.json_response({"error": "overloaded"}, status=503)
        if self.api_key and request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return web.json_response({"message": "invalid api token"}, status=401)
        if unknown := body.keys() - _FIELDS[self.protocol]:
            return web.json_response({"message": f"unknown fields {sorted(unknown)}"}, status=422)
        texts = body["texts"] if self.protocol == "tei" else body["documents"]
        if self.protocol == "tei" and len(texts) > _TEI_TEXTS:
            error = f"batch size {len(texts)} > maximum allowed batch size {_TEI_TEXTS}"
            return web.json_response({"error": error, "error_type": "Validation"}, status=422)
        if self.answer is not None:
            return web.json_response(self.answer)
        return web.json_response(self._shown(texts, self._scores(body["query"], texts)))

    def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        asked = set(_WORD.findall(query.casefold()))
        right = _answers().get(query)
        scores = [
            len(asked & set(_WORD.findall(text.casefold()))) / (len(asked) + 1) + (text == right) for text in texts
        ]
        return [1 - score for score in scores] if self.is_reversed else scores

    def _shown(self, texts: Sequence[str], scores: Sequence[float]) -> Any:
        order = sorted(range(len(texts)), key=lambda index: -scores[index])
        if self.protocol == "tei":
            return [{"index": index, "score": scores[index]} for index in order]
        results: list[dict[str, Any]] = [{"index": index, "relevance_score": scores[index]} for index in order]
        if self.protocol == "vllm":
            for result in results:
                result["document"] = {"text": texts[result["index"]]}
            return {"id": "rerank-1", "model": "m", "usage": {"total_tokens": 1}, "results": results}
        if self.protocol == "jina":
            return {"model": "m", "object": "list", "usage": {"total_tokens": 1}, "results": results}
        return {"id": "1", "results": results, "meta": {"api_version": {"version": "2"}}}


@asynccontextmanager
async def rerank_double(protocol: RerankProtocol) -> AsyncIterator[RerankDouble]:
    """Starts a server; its address is in `url`."""
    double = RerankDouble(protocol)
    async with TestServer(double.app) as running:
        double.url = f"http://127.0.0.1:{running.port}"
        yield double
        double.hangs.set()
