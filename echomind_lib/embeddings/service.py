"""`EmbeddingService`: the embedder over gRPC, one process a machine."""

import asyncio
from typing import Any

import grpc
import structlog
from google.protobuf import empty_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from echomind_lib.embeddings.batcher import Batcher
from echomind_lib.embeddings.client import MESSAGE_OPTIONS
from echomind_lib.embeddings.embedder import Embedder
from echomind_lib.errors import EchoMindError, ValidationFailedError
from echomind_lib.errors.grpc import abort
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2, embedding_pb2_grpc

log = structlog.get_logger(__name__)

_SERVICE = embedding_pb2.DESCRIPTOR.services_by_name["EmbeddingService"].full_name
_MAX_TEXTS = 512
_STOP_SECONDS = 5.0


class EmbeddingServicer(embedding_pb2_grpc.EmbeddingServiceServicer):
    """Answers calls from an embedder's queue."""

    def __init__(self, embedder: Embedder, batcher: Batcher) -> None:
        self._embedder = embedder
        self._batcher = batcher

    async def Embed(  # noqa: N802
        self, request: embedding_pb2.EmbedRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> embedding_pb2.EmbedResponse:
        """Embeds texts; see the contract."""
        if request.model_id not in {"", self._embedder.model_id}:
            await context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"The embedding process has loaded {self._embedder.model_id}, not {request.model_id}.",
            )
        try:
            _check(request)
            vectors = await self._batcher.embed(request.texts, query=request.kind == embedding_pb2.TEXT_KIND_QUERY)
        except EchoMindError as error:
            await abort(context, error)
        return embedding_pb2.EmbedResponse(
            model_id=self._embedder.model_id,
            dimension=self._embedder.dimension,
            vectors=vectors.astype("<f4", copy=False).tobytes(),
        )

    async def GetModel(  # noqa: N802
        self,
        request: empty_pb2.Empty,  # noqa: ARG002
        context: grpc.aio.ServicerContext[Any, Any],  # noqa: ARG002
    ) -> embedding_pb2.EmbeddingModelInfo:
        """Says which model is loaded."""
        return embedding_pb2.EmbeddingModelInfo(
            model_id=self._embedder.model_id,
            dimension=self._embedder.dimension,
            max_tokens=self._embedder.max_tokens,
            languages=self._embedder.languages,
        )


def _check(request: embedding_pb2.EmbedRequest) -> None:
    if request.kind == embedding_pb2.TEXT_KIND_UNSPECIFIED:
        raise ValidationFailedError("kind: say whether the texts are questions or passages", field="kind")
    if not 1 <= len(request.texts) <= _MAX_TEXTS:
        raise ValidationFailedError(f"texts: send 1 to {_MAX_TEXTS}, not {len(request.texts)}", field="texts")


class EmbeddingServer:
    """The gRPC server of one embedder, with the health service."""

    def __init__(self, server: grpc.aio.Server, servicer_health: health.aio.HealthServicer, batcher: Batcher) -> None:
        self._server = server
        self._health = servicer_health
        self._batcher = batcher

    @classmethod
    async def start(cls, embedder: Embedder, address: str) -> "EmbeddingServer":
        """Starts to listen.

        Args:
            embedder: The model.
            address: `host:port`.

        Raises:
            RuntimeError: the address cannot be listened on, for example because another process does.
        """
        batcher = Batcher(embedder)
        server = grpc.aio.server(options=[*MESSAGE_OPTIONS, ("grpc.so_reuseport", 0)])
        embedding_pb2_grpc.add_EmbeddingServiceServicer_to_server(EmbeddingServicer(embedder, batcher), server)
        checks = health.aio.HealthServicer()
        for name in ("", _SERVICE):
            await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        server.add_insecure_port(address)
        await server.start()
        log.info("embedding", address=address, model=embedder.model_id)
        return cls(server, checks, batcher)

    async def stop(self) -> None:
        """Refuses new calls, answers those that are under way within a few seconds, and ends."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(_STOP_SECONDS)
        await self._batcher.close()


async def serve(embedder: Embedder, address: str, stopping: asyncio.Event) -> None:
    """Serves until `stopping` is set."""
    server = await EmbeddingServer.start(embedder, address)
    await stopping.wait()
    await server.stop()
