"""Spans of embedding calls, in the client and in the process. Used only while traces are on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from echomind_lib.embeddings.client import EmbeddingClient
from echomind_lib.telemetry import names, spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echomind_lib.embeddings.embedder import Vectors
    from echomind_lib.pb.echomind.internal.v1 import embedding_pb2


class TracedEmbeddingClient(EmbeddingClient):
    """A client whose calls are recorded, and continued by the embedding process."""

    @override
    async def _embed(
        self, request: embedding_pb2.EmbedRequest, seconds: float, metadata: tuple[tuple[str, str], ...] = ()
    ) -> Vectors:
        model = request.model_id
        attributes: dict[str, spans.Value] = {
            names.OPERATION: names.EMBEDDINGS,
            names.PROVIDER: "echomind",
            names.TEXTS: len(request.texts),
        }
        if model:
            attributes[names.REQUEST_MODEL] = model
        with spans.child_span(f"{names.EMBEDDINGS} {model}".rstrip(), "client", attributes) as span:
            if span is not None:
                metadata += tuple(span.headers().items())
            return await super()._embed(request, seconds, metadata)


def serving_span(metadata: Mapping[str, Any], texts: int) -> spans.Span | None:
    """Returns the span of a call that the embedding process serves; None if the caller's trace is not recorded."""
    method = "echomind.internal.v1.EmbeddingService/Embed"
    attributes: dict[str, spans.Value] = {names.RPC_SYSTEM: "grpc", names.RPC_METHOD: method, names.TEXTS: texts}
    return spans.continued(metadata, method, "server", attributes)
