"""Spans of embedding calls, in the client and in the process. Used only while traces are on."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from echomind_lib.embeddings.client import EmbeddingClient
from echomind_lib.embeddings.model_ids import is_endpoint
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2
from echomind_lib.telemetry import names, spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.embeddings.embedder import Vectors


class TracedEmbeddingClient(EmbeddingClient):
    """A client whose calls are recorded, and continued by the embedding process.

    Questions that are asked together have a span each, in the trace of who asks. Their joint request belongs to none of
    these traces, and is not continued.
    """

    @override
    async def embed_query(self, text: str, model_id: str = "") -> NDArray[np.float32]:
        with nullcontext() if is_endpoint(model_id) else _calling_span(model_id, 1):
            return await super().embed_query(text, model_id)

    @override
    def expect_query(self, text: str, model_id: str = "") -> None:
        """Does nothing: the request belongs to the span of the search."""

    @override
    async def _embed(
        self, request: embedding_pb2.EmbedRequest, seconds: float, metadata: tuple[tuple[str, str], ...] = ()
    ) -> Vectors:
        is_question = request.kind == embedding_pb2.TEXT_KIND_QUERY  # has its span already
        calling = (
            nullcontext(spans.current.get()) if is_question else _calling_span(request.model_id, len(request.texts))
        )
        with calling as span:
            if span is not None:
                metadata += tuple(span.headers().items())
            return await super()._embed(request, seconds, metadata)


def _calling_span(model: str, texts: int) -> AbstractContextManager[spans.Span | None]:
    """Returns the span of a call, in which a block runs."""
    attributes: dict[str, spans.Value] = {
        names.OPERATION: names.EMBEDDINGS,
        names.PROVIDER: "echomind",
        names.TEXTS: texts,
    }
    if model:
        attributes[names.REQUEST_MODEL] = model
    return spans.child_span(f"{names.EMBEDDINGS} {model}".rstrip(), "client", attributes)


def serving_span(metadata: Mapping[str, Any], texts: int) -> spans.Span | None:
    """Returns the span of a call that the embedding process serves; None if the caller's trace is not recorded."""
    method = "echomind.internal.v1.EmbeddingService/Embed"
    attributes: dict[str, spans.Value] = {names.RPC_SYSTEM: "grpc", names.RPC_METHOD: method, names.TEXTS: texts}
    return spans.continued(metadata, method, "server", attributes)
