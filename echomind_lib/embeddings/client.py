"""The client of embedding models: those of the embedding process, and those of servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf import empty_pb2

from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.embeddings.model_ids import is_endpoint
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2, embedding_pb2_grpc
from echomind_lib.process.expected import Expected
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.process.together import Together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.embeddings.calibrated import Limits
    from echomind_lib.embeddings.served import ServedModels

API_KEY_METADATA = "api-key"
"""The metadata key of the API key, the same as Qdrant's."""
LOADING_METADATA = ("embedding-model", "loading")
"""Trailing metadata of a call that fails because its model is being loaded."""
_CHANNEL_OPTIONS = [
    # A process that restarts is ready within a second; gRPC's default back-off grows to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]
_TRANSIENT = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED}
_RETRIES = RetryPolicy(first=0.05, longest=2.0)
_AWAY_SECONDS = 30.0
"""Waits longer for an unreachable process than its restart and loading its model take."""
_LOADING = RetryPolicy(first=0.1, longest=0.5, seconds=120.0)
"""Loading a model takes about a second, and ten times as long on a busy machine."""
_TEXTS_A_CALL = 64
_TEXT_CHARACTERS = 16_384
"""Texts are truncated to this length, which exceeds every model's window."""


class EmbeddingClient:
    """A connection to the embedding process, whose restarts it survives, and to servers of models."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        served: ServedModels | None = None,
        query_seconds: float = 5.0,
        passages_seconds: float = 300.0,
        away_seconds: float = _AWAY_SECONDS,
    ) -> None:
        """Initializes the client; it connects at the first call.

        Args:
            url: `host:port` of the embedding process.
            api_key: Its key; None if it requires none.
            served: The models of servers; None where only built-in ones are used. The client closes it.
            query_seconds: Timeout for the vector of a query.
            passages_seconds: Timeout for the vectors of 64 passages, including time in the queue.
            away_seconds: Maximum part of that time to wait for an unreachable process.
        """
        self._channel = grpc.aio.insecure_channel(url, options=_CHANNEL_OPTIONS)
        self._stub = embedding_pb2_grpc.EmbeddingServiceStub(self._channel)
        self._query_seconds, self._passages_seconds = query_seconds, passages_seconds
        self._away_seconds = away_seconds
        self._given_served = served
        self._metadata = ((API_KEY_METADATA, api_key),) if api_key else ()
        self._questions: Together[tuple[str, str], NDArray[np.float32]] = Together(
            self._embed_questions, key=itemgetter(1)
        )
        self._expected: Expected[tuple[str, str], NDArray[np.float32]] = Expected()

    async def close(self) -> None:
        """Closes the connection."""
        self._expected.cancel()
        await self._channel.close()
        if self._given_served is not None:
            await self._given_served.close()

    async def get_model(self, model_id: str = "") -> embedding_pb2.EmbeddingModelInfo:
        """Describes a model, which is loaded if necessary.

        Args:
            model_id: The model; empty means the default one.

        Raises:
            DependencyUnavailableError: The process does not respond, or cannot load the model.
        """
        if is_endpoint(model_id):
            row = await self._served.describe(model_id)
            return embedding_pb2.EmbeddingModelInfo(
                model_id=row.model_id, dimension=row.model_dimension, languages=row.languages
            )
        options: dict[str, Any] = {
            "timeout": self._query_seconds,
            "wait_for_ready": True,
            "metadata": self._metadata,
        }

        async def describe() -> embedding_pb2.EmbeddingModelInfo:
            if not model_id:
                return await self._stub.GetModel(empty_pb2.Empty(), **options)
            return await self._stub.DescribeModel(embedding_pb2.DescribeModelRequest(model_id=model_id), **options)

        try:
            return await _LOADING.call(describe, _is_loading)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error

    async def embed_query(self, text: str, model_id: str = "") -> NDArray[np.float32]:
        """Returns a question's vector, `[dimension]`, of unit length.

        Args:
            text: The question.
            model_id: The model; empty means the default one.

        Raises:
            DependencyUnavailableError: The process does not respond, or cannot load the model.
        """
        asked = text[:_TEXT_CHARACTERS], model_id
        return await self._expected.take(asked, partial(self._questions.call, asked))

    def expect_query(self, text: str, model_id: str = "") -> None:
        """Begins to compute the vector of a question that `embed_query` will be asked for within a few seconds.

        Args:
            text: The question.
            model_id: The model; empty means the default one.
        """
        asked = text[:_TEXT_CHARACTERS], model_id
        self._expected.begin(asked, partial(self._questions.call, asked))

    async def _embed_questions(self, asked: Sequence[tuple[str, str]]) -> list[NDArray[np.float32]]:
        """Returns the vectors of questions that are asked together of one model. Equal ones share theirs."""
        vectors: dict[str, NDArray[np.float32]] = {}
        texts, model_id = list({text: None for text, _ in asked}), asked[0][1]
        for start in range(0, len(texts), _TEXTS_A_CALL):
            part = texts[start : start + _TEXTS_A_CALL]
            vectors |= zip(part, await self._query_vectors(part, model_id), strict=True)
        return [vectors[text] for text, _ in asked]

    async def _query_vectors(self, texts: Sequence[str], model_id: str) -> Vectors:
        if is_endpoint(model_id):
            return await self._served.embed_queries(texts, model_id, self._query_seconds)
        request = embedding_pb2.EmbedRequest(texts=texts, kind=embedding_pb2.TEXT_KIND_QUERY, model_id=model_id)
        return await self._embed(request, self._query_seconds)

    async def embed_passages(self, texts: Sequence[str], model_id: str = "", *, background: bool = False) -> Vectors:
        """Returns the passages' vectors, `[texts, dimension]`, of unit length.

        Args:
            texts: The passages, any number.
            model_id: The model; empty means the default one.
            background: Whether nobody waits for them: they are embedded after all others.

        Raises:
            DependencyUnavailableError: The process does not respond, or cannot load the model.
        """
        import numpy as np

        kind = embedding_pb2.TEXT_KIND_BACKGROUND_PASSAGE if background else embedding_pb2.TEXT_KIND_PASSAGE
        parts = []
        for start in range(0, len(texts), _TEXTS_A_CALL):
            shortened = [text[:_TEXT_CHARACTERS] for text in texts[start : start + _TEXTS_A_CALL]]
            if is_endpoint(model_id):
                parts.append(await self._served.embed_passages(shortened, model_id))
                continue
            request = embedding_pb2.EmbedRequest(texts=shortened, kind=kind, model_id=model_id)
            parts.append(await self._embed(request, self._passages_seconds))
        return np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)

    async def limits(self, model_id: str) -> Limits | None:
        """Returns the limits from which a passage counts as evidence, as measured of a server's model; else None."""
        return await self._served.limits(model_id) if is_endpoint(model_id) else None

    @property
    def _served(self) -> ServedModels:
        if self._given_served is None:
            raise DependencyUnavailableError(
                "The embedding model cannot be used here: tell an administrator.",
                detail="This process uses built-in models only.",
                dependency="embedding",
            )
        return self._given_served

    async def _embed(
        self, request: embedding_pb2.EmbedRequest, seconds: float, metadata: tuple[tuple[str, str], ...] = ()
    ) -> Vectors:
        """Calls with retries until it succeeds, fails permanently or times out; waits for a model that is loaded."""
        try:
            return await self._embed_within(request, seconds, metadata)
        except grpc.aio.AioRpcError as error:
            if not _is_loading(error):
                raise _unavailable(error) from error
        await self.get_model(request.model_id)
        try:
            return await self._embed_within(request, seconds, metadata)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error

    async def _embed_within(
        self, request: embedding_pb2.EmbedRequest, seconds: float, metadata: tuple[tuple[str, str], ...]
    ) -> Vectors:
        import numpy as np

        metadata += self._metadata
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        away_since: float | None = None

        async def call() -> embedding_pb2.EmbedResponse:
            nonlocal away_since
            began = clock()
            try:
                return await self._stub.Embed(request, timeout=max(deadline - began, 0.001), metadata=metadata)
            except grpc.aio.AioRpcError as error:
                is_away = error.code() is grpc.StatusCode.UNAVAILABLE
                away_since = (away_since or began) if is_away else None
                raise

        def is_transient(error: BaseException) -> bool:
            if not isinstance(error, grpc.aio.AioRpcError) or error.code() not in _TRANSIENT or _is_loading(error):
                return False
            return away_since is None or clock() < away_since + self._away_seconds

        response = await replace(_RETRIES, seconds=seconds).call(call, is_transient)
        return np.frombuffer(response.vectors, dtype="<f4").reshape(-1, response.dimension)


def _is_loading(error: BaseException) -> bool:
    return isinstance(error, grpc.aio.AioRpcError) and LOADING_METADATA in tuple(error.trailing_metadata() or ())


def _unavailable(error: grpc.aio.AioRpcError) -> DependencyUnavailableError:
    if error.code() is grpc.StatusCode.UNAUTHENTICATED:
        return DependencyUnavailableError(
            "The embedding process refuses the key of this service: tell an administrator.",
            detail="Give all services the same ECHOMIND_EMBEDDING__API_KEY.",
            dependency="embedding",
        )
    if error.code() in {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND}:
        return DependencyUnavailableError(
            "The embedding process does not have the model of the index: tell an administrator.",
            detail=error.details() or "",
            dependency="embedding",
        )
    return DependencyUnavailableError(
        "The embedding process does not answer: try again.",
        detail=f"{error.code().name}: {error.details()}. Check ECHOMIND_EMBEDDING__URL.",
        dependency="embedding",
    )
