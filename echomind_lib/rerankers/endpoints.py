"""Requests to rerankers: Cohere's `/v2/rerank`, `/v1/rerank` of Jina and vLLM, `/rerank` of TEI.

Endpoints are checked as those of chat models. What a server answers is checked before it is used.
"""

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import aiohttp
import msgspec

from echomind_lib.db.words import RerankProtocol
from echomind_lib.llms.endpoints import split_endpoint
from echomind_lib.llms.errors import LlmError
from echomind_lib.llms.model_server import ModelServer

MAX_CHARACTERS: Final = 4000
"""Longer passages are cut: no passage of an index is, but headings may be long."""
_TEI_TEXTS: Final = 32
"""Texts of a request: the most that Text Embeddings Inference accepts by default. Scores of requests are comparable."""
_MAX_BYTES: Final = 4 * 2**20
_PATHS: Final = {"cohere": "/v2/rerank", "jina": "/v1/rerank", "vllm": "/v1/rerank", "tei": "/rerank"}
_OPERATION: Final = re.compile(r"/(rerank|info|predict|embed|score)$")
_VERSION: Final = re.compile(r"/v\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerConfig:
    """Where a reranker is, and what it speaks."""

    protocol: RerankProtocol
    endpoint: str
    model_id: str
    """Its name at the server."""
    api_key: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Returns where questions are sent; a version in the endpoint's path stays as it is.

        Raises:
            LlmConfigInvalid: The endpoint cannot be used.
        """
        origin, path = split_endpoint(self.endpoint)
        path = _OPERATION.sub("", path)
        if self.protocol != "tei" and _VERSION.search(path):
            return f"{origin}{path}/rerank"
        return origin + path + _PATHS[self.protocol]


class _Result(msgspec.Struct):
    """A result of Cohere, Jina and vLLM."""

    index: int
    relevance_score: float


class _Results(msgspec.Struct):
    results: list[_Result]


class _TeiResult(msgspec.Struct):
    index: int
    score: float


class RerankerEndpoint:
    """A reranker of a server. Safe for concurrent use."""

    def __init__(self, config: RerankerConfig, http: aiohttp.ClientSession) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            config: The reranker.
            http: A session of `llms.open_model_session`. The caller closes it.

        Raises:
            LlmConfigInvalid: The endpoint or the key cannot be used.
            TypeError: The session does not check the addresses that it connects to.
        """
        self._config = config
        self._server = ModelServer(
            config.url,
            http,
            protocol=config.protocol,
            model_id=config.model_id,
            endpoint=config.endpoint,
            api_key=config.api_key,
        )
        self._faults = self._server.faults

    async def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """Returns how well each text answers a question: higher is better, comparable within one call.

        Args:
            query: The question.
            texts: One or more texts, cut after `MAX_CHARACTERS`.
            seconds: Time limit for all of them. Nothing is repeated, as somebody waits.

        Raises:
            LlmError: The server cannot be reached or is too slow, refuses the request, or answers something else.
        """
        cut = [text[:MAX_CHARACTERS] for text in texts]
        size = _TEI_TEXTS if self._config.protocol == "tei" else len(cut)
        batches = [cut[start : start + size] for start in range(0, len(cut), size)]
        try:
            async with asyncio.TaskGroup() as tasks:
                parts = [tasks.create_task(self._request(query, batch, seconds)) for batch in batches]
        except* LlmError as group:
            raise group.exceptions[0] from None
        return [score for part in parts for score in part.result()]

    async def _request(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        body: dict[str, object]
        if self._config.protocol == "tei":
            body = {"query": query, "texts": texts, "truncate": True}
        else:
            body = {"model": self._config.model_id, "query": query, "documents": texts, "top_n": len(texts)}
            if self._config.protocol == "jina":
                body["return_documents"] = False
            elif self._config.protocol == "vllm":
                body["truncate_prompt_tokens"] = -1  # to what the model reads
        answer = await self._server.post(body, seconds, _MAX_BYTES)
        return self._checked(answer, len(texts))

    def _checked(self, answer: bytes, count: int) -> list[float]:
        """Returns the scores of an answer in the order of the texts.

        Raises:
            LlmError: It does not have one finite score for each text.
        """
        try:
            if self._config.protocol == "tei":
                pairs = [(each.index, each.score) for each in msgspec.json.decode(answer, type=list[_TeiResult])]
            else:
                results = msgspec.json.decode(answer, type=_Results).results
                pairs = [(each.index, each.relevance_score) for each in results]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._faults.broken("it has no list of scores") from error
        scores = dict(pairs)
        if len(pairs) != count or scores.keys() != set(range(count)):
            raise self._faults.broken(f"it has scores for {len(scores)} of {count} texts")
        if not all(map(math.isfinite, scores.values())):
            raise self._faults.broken("its scores are infinite or no numbers")
        return [scores[number] for number in range(count)]
