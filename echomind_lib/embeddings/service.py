"""`EmbeddingService`: the embedders over gRPC, one process per machine."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, NoReturn

import grpc
import structlog
from google.protobuf import empty_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from echomind_lib.embeddings.batcher import Batcher, Priority
from echomind_lib.embeddings.client import API_KEY_METADATA, LOADING_METADATA
from echomind_lib.embeddings.embedder import CHARACTERS_A_TOKEN, MAX_TEXT_BYTES, Embedder, Vectors
from echomind_lib.embeddings.embedders import Embedders, ModelLoadingError, UnknownEmbedderError
from echomind_lib.errors import EchoMindError, UnauthenticatedError, ValidationFailedError
from echomind_lib.errors.grpc import abort
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2, embedding_pb2_grpc
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

_SERVICE = embedding_pb2.DESCRIPTOR.services_by_name["EmbeddingService"].full_name
_MAX_TEXTS = 512
_MAX_CALLS = 256
"""Maximum number of concurrent calls, including queued ones; others are rejected."""
_MESSAGE_BYTES = MAX_TEXT_BYTES + 2**20
"""Maximum size of a request message; larger than the allowed texts, so that the error can explain the limit."""
_STOP_SECONDS = 5.0
_LOAD_SECONDS = 1.0
"""How long a call waits for its model to be loaded before it answers that it is."""
_LOOPBACK = ("127.", "localhost:", "[::1]:", "unix:")


_PRIORITIES = {
    embedding_pb2.TEXT_KIND_QUERY: Priority.QUERY,
    embedding_pb2.TEXT_KIND_PASSAGE: Priority.PASSAGE,
    embedding_pb2.TEXT_KIND_BACKGROUND_PASSAGE: Priority.BACKGROUND,
}


class EmbeddingServicer(embedding_pb2_grpc.EmbeddingServiceServicer):
    """Serves calls through the queue of the embedders."""

    def __init__(self, embedders: Embedders, batcher: Batcher) -> None:
        self._embedders = embedders
        self._batcher = batcher

    async def Embed(  # noqa: N802
        self, request: embedding_pb2.EmbedRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> embedding_pb2.EmbedResponse:
        """Embeds texts; see the service definition."""
        try:
            _check(request)
            embedder = await self._embedders.get(request.model_id, seconds=_LOAD_SECONDS)
            window = embedder.max_tokens * CHARACTERS_A_TOKEN
            texts = [text[:window] for text in request.texts]
            priority = _PRIORITIES[request.kind]
            if spans.recorder is None:
                vectors = await self._batcher.embed(embedder, texts, priority)
            else:
                vectors = await self._embed_traced(embedder, texts, priority, context)
            if priority is Priority.QUERY:
                await self._embedders.remember(embedder.model_id)
        except UnknownEmbedderError as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        except ModelLoadingError as error:
            await _abort_loading(context, error)
        except EchoMindError as error:
            await abort(context, error)
        return embedding_pb2.EmbedResponse(
            model_id=embedder.model_id,
            dimension=embedder.dimension,
            vectors=vectors.astype("<f4", copy=False).tobytes(),
        )

    async def _embed_traced(
        self, embedder: Embedder, texts: list[str], priority: Priority, context: grpc.aio.ServicerContext[Any, Any]
    ) -> Vectors:
        from echomind_lib.embeddings.traces import serving_span

        span = serving_span(dict(context.invocation_metadata() or ()), len(texts))
        with nullcontext() if span is None else spans.entered(span):
            return await self._batcher.embed(embedder, texts, priority)

    async def GetModel(  # noqa: N802
        self,
        request: empty_pb2.Empty,  # noqa: ARG002
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> embedding_pb2.EmbeddingModelInfo:
        """Describes the default model."""
        return await self._describe("", context)

    async def DescribeModel(  # noqa: N802
        self, request: embedding_pb2.DescribeModelRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> embedding_pb2.EmbeddingModelInfo:
        """Describes a model."""
        return await self._describe(request.model_id, context)

    async def _describe(
        self, model_id: str, context: grpc.aio.ServicerContext[Any, Any]
    ) -> embedding_pb2.EmbeddingModelInfo:
        try:
            embedder = await self._embedders.get(model_id, seconds=_LOAD_SECONDS)
        except UnknownEmbedderError as error:
            await context.abort(grpc.StatusCode.NOT_FOUND, str(error))
        except ModelLoadingError as error:
            await _abort_loading(context, error)
        return embedding_pb2.EmbeddingModelInfo(
            model_id=embedder.model_id,
            dimension=embedder.dimension,
            max_tokens=embedder.max_tokens,
            languages=embedder.languages,
        )


async def _abort_loading(context: grpc.aio.ServicerContext[Any, Any], error: ModelLoadingError) -> NoReturn:
    await context.abort(grpc.StatusCode.UNAVAILABLE, str(error), (LOADING_METADATA,))
    raise AssertionError("abort() raises")


def _check(request: embedding_pb2.EmbedRequest) -> None:
    if request.kind not in _PRIORITIES:
        raise ValidationFailedError("kind: say whether the texts are questions or passages", field="kind")
    if not 1 <= len(request.texts) <= _MAX_TEXTS:
        raise ValidationFailedError(f"texts: send 1 to {_MAX_TEXTS}, not {len(request.texts)}", field="texts")
    if (size := request.ByteSize()) > MAX_TEXT_BYTES:
        raise ValidationFailedError(
            f"texts: {size:,} bytes in all; at most {MAX_TEXT_BYTES:,} are embedded at once, send fewer", field="texts"
        )


class _Credential(grpc.aio.ServerInterceptor):
    """Rejects calls of `EmbeddingService` without the key. Health checks need none."""

    def __init__(self, api_key: str) -> None:
        self._expected = api_key.encode()

        async def refuse(_request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            error = UnauthenticatedError("Send the embedding process's key in the metadata `api-key`.")
            await abort(context, error)

        self._refusal: grpc.RpcMethodHandler[Any, Any] = grpc.unary_unary_rpc_method_handler(refuse)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["grpc.RpcMethodHandler[Any, Any] | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Returns the method's handler, or one that rejects the call before the request is read."""
        if not handler_call_details.method.startswith(f"/{_SERVICE}/"):
            return await continuation(handler_call_details)
        sent = dict(handler_call_details.invocation_metadata or ()).get(API_KEY_METADATA, "")
        given = sent.encode() if isinstance(sent, str) else sent
        if hmac.compare_digest(given, self._expected):
            return await continuation(handler_call_details)
        return self._refusal


class EmbeddingServer:
    """The gRPC server of embedders, with the health service."""

    def __init__(self, server: grpc.aio.Server, servicer_health: health.aio.HealthServicer, batcher: Batcher) -> None:
        self._server = server
        self._health = servicer_health
        self._batcher = batcher

    @classmethod
    async def start(cls, embedders: Embedders, address: str, api_key: str | None = None) -> "EmbeddingServer":
        """Starts the server.

        Args:
            embedders: The models; the default one is loaded before it listens.
            address: `host:port`.
            api_key: Key that callers must send; may be omitted only on a loopback address.

        Raises:
            ValueError: The address is not a loopback address, and there is no key.
            RuntimeError: Listening on the address failed, for example because another process uses it.
        """
        if not api_key and not address.startswith(_LOOPBACK):
            raise ValueError(
                f"The embedding process does not listen on {address} without a key, as others may reach that address: "
                "set ECHOMIND_EMBEDDING__API_KEY, the same for all services."
            )
        default = await embedders.get("")
        batcher = Batcher()
        server = grpc.aio.server(
            options=[("grpc.max_receive_message_length", _MESSAGE_BYTES), ("grpc.so_reuseport", 0)],
            interceptors=[_Credential(api_key)] if api_key else [],
            maximum_concurrent_rpcs=_MAX_CALLS,
        )
        embedding_pb2_grpc.add_EmbeddingServiceServicer_to_server(EmbeddingServicer(embedders, batcher), server)
        checks = health.aio.HealthServicer()
        for name in ("", _SERVICE):
            await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        server.add_insecure_port(address)
        await server.start()
        log.info("embedding process started", address=address, model=default.model_id)
        return cls(server, checks, batcher)

    async def stop(self) -> None:
        """Rejects new calls, finishes active ones within a few seconds, and stops."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(_STOP_SECONDS)
        await self._batcher.close()


async def serve(embedders: Embedders, address: str, api_key: str | None, stopping: asyncio.Event) -> None:
    """Serves until `stopping` is set; raises the errors of `EmbeddingServer.start`."""
    server = await EmbeddingServer.start(embedders, address, api_key)
    watching = asyncio.create_task(embedders.watch())
    await stopping.wait()
    watching.cancel()
    await server.stop()
