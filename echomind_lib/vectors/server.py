"""A Qdrant server, or cluster, and its collections.

It uses the gRPC stubs of the official client, not the client itself, whose models cost more than a search, and whose
import takes 60 MB and a second in every service.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc

from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.vectors.collections import CHUNK_FIELDS, QUANTIZATION, PayloadFields
from echomind_lib.vectors.failures import is_transient, to_error
from echomind_lib.vectors.points import DENSE, SPARSE
from echomind_lib.vectors.qdrant_messages import pb as qdrant
from echomind_lib.vectors.server_versions import require_server

_READ_SECONDS = 10
_WRITE_SECONDS = 60
_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", 64 * 2**20),
    ("grpc.max_send_message_length", 64 * 2**20),
    # A server that restarts is ready soon; gRPC's default back-off grows to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 200),
]
_RETRIES = RetryPolicy(first=0.1, factor=1.0, seconds=3.0)
"""Waits longer for an unreachable server than its restart takes."""
_ONCE = RetryPolicy(first=0.0, attempts=1)


class VectorServer:
    """A connection to Qdrant.

    All methods raise `DependencyUnavailableError` if it does not respond, and those that store something
    `DiskFullError` if its disk is full.
    """

    def __init__(self, url: str, api_key: str | None = None) -> None:
        """Initializes the client; it connects at the first call.

        Args:
            url: Address of the gRPC port; `https` turns TLS on, with the certificates of `SSL_CERT_FILE` if it is set.
            api_key: Sent with every call.
        """
        address = urlsplit(url)
        target = f"{address.hostname}:{address.port or 6334}"
        if address.scheme == "https":
            # gRPC does not read this variable of OpenSSL, which all other clients heed.
            trusted = os.environ.get("SSL_CERT_FILE")
            credentials = grpc.ssl_channel_credentials(Path(trusted).read_bytes() if trusted else None)
            self._channel = grpc.aio.secure_channel(target, credentials, options=_CHANNEL_OPTIONS)
        else:
            self._channel = grpc.aio.insecure_channel(target, options=_CHANNEL_OPTIONS)
        self._collections: Any = qdrant.CollectionsStub(self._channel)  # type: ignore[no-untyped-call]
        self._points: Any = qdrant.PointsStub(self._channel)  # type: ignore[no-untyped-call]
        self._server: Any = qdrant.QdrantStub(self._channel)  # type: ignore[no-untyped-call]
        self._metadata = (("api-key", api_key),) if api_key else ()

    async def close(self) -> None:
        """Closes the connection."""
        await self._channel.close()

    async def check(self) -> None:
        """Returns if the server responds."""
        await self._call(self._collections.List, qdrant.ListCollectionsRequest(), 3, retries=_ONCE)

    async def version(self) -> str:
        """Returns the server's version."""
        reply = await self._call(self._server.HealthCheck, qdrant.HealthCheckRequest(), 3, retries=_ONCE)
        version: str = reply.version
        return version

    async def collections(self) -> set[str]:
        """Returns names of all collections."""
        response = await self._call(self._collections.List, qdrant.ListCollectionsRequest(), _READ_SECONDS)
        return {each.name for each in response.collections}

    async def has(self, collection: str) -> bool:
        """Returns whether a collection exists."""
        exists = qdrant.CollectionExistsRequest(collection_name=collection)
        found: bool = (await self._call(self._collections.CollectionExists, exists, _READ_SECONDS)).result.exists
        return found

    async def drop(self, collection: str) -> None:
        """Deletes a collection with its points, if it exists."""
        if await self.has(collection):
            request = qdrant.DeleteCollection(collection_name=collection)
            await self._call(self._collections.Delete, request, _WRITE_SECONDS)

    async def ensure(self, collection: str, dimension: int, fields: PayloadFields = CHUNK_FIELDS) -> None:
        """Creates a collection with its payload indexes if it is missing, or quantizes one that is not quantized.

        An existing quantization of a collection is not changed. Stored points are
        quantized in the background.

        Raises:
            DependencyUnavailableError: The server is older than this code needs, too.
        """
        await self._require_server()
        if not await self.has(collection):
            # Full vectors are read for the best candidates only, so they can stay on disk: 65 MiB less memory for an
            # index of any size up to 20,000 passages, and a query over 60,000 takes 6 ms instead of 5.
            dense = qdrant.VectorParams(size=dimension, distance=qdrant.Distance.Cosine, on_disk=True)
            sparse = qdrant.SparseVectorParams(modifier=qdrant.Modifier.Idf)
            request = qdrant.CreateCollection(
                collection_name=collection,
                vectors_config=qdrant.VectorsConfig(params_map=qdrant.VectorParamsMap(map={DENSE: dense})),
                sparse_vectors_config=qdrant.SparseVectorConfig(map={SPARSE: sparse}),
                # One graph per scope rather than a global one: every query filters by scope.
                hnsw_config=qdrant.HnswConfigDiff(m=0, payload_m=16),
                quantization_config=QUANTIZATION,
            )
            try:
                await self._call(self._collections.Create, request, _WRITE_SECONDS)
            except DependencyUnavailableError:
                # Another service may have created it first.
                if not await self.has(collection):
                    raise
        about = qdrant.GetCollectionInfoRequest(collection_name=collection)
        described = (await self._call(self._collections.Get, about, _READ_SECONDS)).result
        if described.config.quantization_config.WhichOneof("quantization") is None:
            change = qdrant.UpdateCollection(
                collection_name=collection,
                quantization_config=qdrant.QuantizationConfigDiff(turboquant=QUANTIZATION.turboquant),
            )
            await self._call(self._collections.Update, change, _WRITE_SECONDS)
        for field, (kind, params) in fields.items():
            if field not in described.payload_schema:
                index = qdrant.CreateFieldIndexCollection(
                    collection_name=collection, wait=True, field_name=field, field_type=kind, field_index_params=params
                )
                await self._call(self._points.CreateFieldIndex, index, _WRITE_SECONDS)

    async def _require_server(self) -> None:
        reply = await self._call(self._server.HealthCheck, qdrant.HealthCheckRequest(), _READ_SECONDS)
        require_server(reply.version)

    async def _call(self, method: Any, request: Any, seconds: float, *, retries: RetryPolicy = _RETRIES) -> Any:
        """Calls the server, with retries while it restarts. All calls are idempotent."""

        async def call() -> Any:
            return await method(request, timeout=seconds, metadata=self._metadata)

        try:
            return await retries.call(call, is_transient)
        except grpc.aio.AioRpcError as error:
            raise to_error(error) from error
