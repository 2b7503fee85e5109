"""Embedding models of servers: OpenAI's `/v1/embeddings`, and `/embed` of Text Embeddings Inference.

Endpoints are checked as those of chat models. A request has few texts and a time limit; failures that may pass are
retried with back-off; what a server answers is checked before it is used.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import aiohttp
import msgspec
import numpy as np

from echomind_lib.db.words import EmbeddingProtocol
from echomind_lib.embeddings.calibrated import Calibration, calibrate, questions
from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.llms.endpoints import normalise_endpoint, split_endpoint
from echomind_lib.llms.errors import LlmBadRequest, LlmContextTooLong, LlmError
from echomind_lib.llms.model_server import ModelServer
from echomind_lib.process.retries import RetryPolicy

_TEXTS: Final = 32
"""Texts of a request: the most that Text Embeddings Inference accepts by default."""
_AT_ONCE: Final = 4
"""Requests of a process to one model that are under way, besides questions."""
_SHORTER: Final = 0.6
"""What is kept of a text that the server finds too long."""
_SHORTEST: Final = 200
"""Characters. A text that is not longer is never shortened."""
_MAX_BYTES: Final = 64 * 2**20
_MAX_DIMENSIONS: Final = 16_384
ENDPOINT_RETRIES: Final = RetryPolicy(first=0.25, longest=8.0)
"""Within the time limit of the caller."""
_BATCH: Final = re.compile(r"batch|too many|too large|array.{0,40}(long|length)|maximum.{0,40}inputs", re.IGNORECASE)
"""How servers say that a request has too many texts."""
_EMBED: Final = re.compile(r"/(embed|embeddings|info|predict|v1/embeddings)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointConfig:
    """Where a model is, and what it expects."""

    protocol: EmbeddingProtocol
    endpoint: str
    model_id: str
    """Its name at the server."""
    api_key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def url(self) -> str:
        """Returns where texts are sent.

        Raises:
            LlmConfigInvalid: The endpoint cannot be used.
        """
        if self.protocol == "openai":
            return normalise_endpoint("openai", self.endpoint) + "/embeddings"
        origin, path = split_endpoint(self.endpoint)
        return origin + _EMBED.sub("", path) + "/embed"


class _Embedding(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _OpenAiAnswer(msgspec.Struct):
    data: list[_Embedding]


class EndpointModel:
    """A model of a server. Safe for concurrent use."""

    def __init__(
        self, config: EndpointConfig, http: aiohttp.ClientSession, *, retries: RetryPolicy = ENDPOINT_RETRIES
    ) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            config: The model.
            http: A session of `llms.open_model_session`. The caller closes it.
            retries: When a request is repeated, within its time limit.

        Raises:
            LlmConfigInvalid: The endpoint or the key cannot be used.
            TypeError: The session does not check the addresses that it connects to.
        """
        self._config, self._retries = config, retries
        self._server = ModelServer(
            config.url,
            http,
            protocol=config.protocol,
            model_id=config.model_id,
            endpoint=config.endpoint,
            api_key=config.api_key,
        )
        self._faults = self._server.faults
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def embed_queries(self, texts: Sequence[str], seconds: float) -> Vectors:
        """Returns the vectors of questions, as `embed_passages`, without waiting for passages."""
        queries = [self._config.query_prefix + text for text in texts]
        batches = [queries[start : start + _TEXTS] for start in range(0, len(queries), _TEXTS)]
        return self._joined([await self._embed(batch, seconds) for batch in batches])

    async def embed_passages(self, texts: Sequence[str], seconds: float) -> Vectors:
        """Returns the vectors of passages, `[texts, dimension]`, of unit length.

        Args:
            texts: One or more passages.
            seconds: Time limit of each request, and for its retries.

        Raises:
            LlmError: The server cannot be reached, refuses the request, or answers something else.
        """
        return await self._embed_all([self._config.passage_prefix + text for text in texts], seconds)

    async def _embed_all(self, texts: Sequence[str], seconds: float) -> Vectors:
        batches = [texts[start : start + _TEXTS] for start in range(0, len(texts), _TEXTS)]

        async def embed(batch: Sequence[str]) -> Vectors:
            async with self._slots:
                return await self._embed(batch, seconds)

        try:
            async with asyncio.TaskGroup() as tasks:
                parts = [tasks.create_task(embed(batch)) for batch in batches]
        except* LlmError as group:
            raise group.exceptions[0] from None
        return self._joined([part.result() for part in parts])

    async def _embed(self, texts: Sequence[str], seconds: float) -> Vectors:
        """Embeds texts; in smaller requests if the server finds these too large."""

        async def call() -> Vectors:
            return await self._request(texts, seconds)

        try:
            return await replace(self._retries, seconds=seconds).call(
                call, lambda error: isinstance(error, LlmError) and error.retryable
            )
        except LlmError as error:
            if not _is_too_large(error):
                raise
            if len(texts) > 1:
                half = len(texts) // 2
                return self._joined(
                    [await self._embed(texts[:half], seconds), await self._embed(texts[half:], seconds)]
                )
            if len(texts[0]) <= _SHORTEST:
                raise
            return await self._embed([texts[0][: max(_SHORTEST, int(len(texts[0]) * _SHORTER))]], seconds)

    async def _request(self, texts: Sequence[str], seconds: float) -> Vectors:
        """Sends one request.

        Raises:
            LlmError: It failed.
        """
        body: dict[str, object]
        if self._config.protocol == "openai":
            body = {"model": self._config.model_id, "input": texts}
        else:
            body = {"inputs": texts, "truncate": True, "normalize": True}
        answer = await self._server.post(body, seconds, _MAX_BYTES)
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: bytes, count: int) -> Vectors:
        """Returns the vectors of an answer, of unit length.

        Raises:
            LlmError: It does not have one usable vector for each text.
        """
        try:
            if self._config.protocol == "openai":
                data = msgspec.json.decode(answer, type=_OpenAiAnswer).data
                if all(each.index is not None for each in data):
                    data = sorted(data, key=lambda each: each.index or 0)
                rows = [each.embedding for each in data]
            else:
                rows = msgspec.json.decode(answer, type=list[list[float]])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._faults.broken("it has no list of vectors") from error
        if len(rows) != count:
            raise self._faults.broken(f"it has {len(rows)} vectors for {count} texts")
        lengths = {len(row) for row in rows}
        if len(lengths) != 1 or not 2 <= (dimension := lengths.pop()) <= _MAX_DIMENSIONS:
            raise self._faults.broken(f"its vectors do not all have the same number of 2 to {_MAX_DIMENSIONS} values")
        vectors = np.array(rows, dtype=np.float64).reshape(count, dimension)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise self._faults.broken("its vectors are zero, infinite or no numbers")
        unit: Vectors = (vectors / norms).astype(np.float32)
        return unit

    def _joined(self, parts: Sequence[Vectors]) -> Vectors:
        if len({part.shape[1] for part in parts}) > 1:
            raise self._faults.broken("its vectors have different dimensions")
        return np.concatenate(parts)


def _is_too_large(error: LlmError) -> bool:
    """Returns whether fewer or shorter texts may be accepted."""
    if isinstance(error, LlmContextTooLong) or error.status == 413:
        return True
    return isinstance(error, LlmBadRequest) and error.status in {400, 422} and bool(_BATCH.search(error.detail))


async def measured(model: EndpointModel, seconds: float) -> Calibration:
    """Lets a model embed the questions and passages of a calibration, and a text as long as the longest passages.

    Args:
        model: The model.
        seconds: Time limit of each request.

    Raises:
        LlmError: Its server cannot be reached, refuses a request, or answers something else.
    """
    queries: dict[str, Vectors] = {}
    passages: dict[str, Vectors] = {}
    for language, pairs in questions().items():
        queries[language] = await model.embed_queries([question for question, _ in pairs], seconds)
        passages[language] = await model.embed_passages([passage for _, passage in pairs], seconds)
    await model.embed_passages([" ".join(passage for _, passage in questions()["en"])], seconds)
    if len({vectors.shape[1] for vectors in [*queries.values(), *passages.values()]}) > 1:
        raise LlmBadRequest("the embedding server answers with vectors of different dimensions; check the model")
    return calibrate(queries, passages)
