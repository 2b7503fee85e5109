"""The embedding process over gRPC and its client."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import grpc
import numpy as np
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from echomind.local.embedded.process import free_port
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.embedders import Embedders
from echomind_lib.embeddings.service import EmbeddingServer
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.errors.grpc import from_rpc_error
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2, embedding_pb2_grpc
from tests.factories.embedders import LengthEmbedder


@pytest_asyncio.fixture
async def address() -> AsyncIterator[str]:
    """Address of a server whose vectors are the texts' lengths."""
    address = f"127.0.0.1:{free_port()}"
    server = await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address)
    yield address
    await server.stop()


KEY = "k" * 32


@pytest_asyncio.fixture
async def guarded() -> AsyncIterator[str]:
    """Address of a server that asks for `KEY`."""
    address = f"127.0.0.1:{free_port()}"
    server = await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address, KEY)
    yield address
    await server.stop()


@pytest_asyncio.fixture
async def client(address: str) -> AsyncIterator[EmbeddingClient]:
    connected = EmbeddingClient(address, query_seconds=2, passages_seconds=5)
    yield connected
    await connected.close()


async def test_queries_and_passages(client: EmbeddingClient) -> None:
    assert (await client.embed_query("abc")).tolist() == [3, 0]
    vectors = await client.embed_passages(["a" * length for length in range(1, 201)], "length")
    assert vectors.shape == (200, 2)
    assert vectors[:, 0].tolist() == list(range(1, 201))
    assert (await client.embed_passages([])).shape[0] == 0


async def test_model(client: EmbeddingClient) -> None:
    model = await client.get_model()
    assert (model.model_id, model.dimension, list(model.languages)) == ("length", 2, ["en"])


async def test_another_model_is_refused(client: EmbeddingClient) -> None:
    with pytest.raises(DependencyUnavailableError, match="does not have the model of the index") as raised:
        await client.embed_query("a", "other")
    assert "has no model 'other'. It has: length." in raised.value.detail
    with pytest.raises(DependencyUnavailableError, match="does not have the model of the index"):
        await client.get_model("other")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (embedding_pb2.EmbedRequest(texts=["a"]), "kind"),
        (embedding_pb2.EmbedRequest(kind=embedding_pb2.TEXT_KIND_QUERY), "texts"),
        (embedding_pb2.EmbedRequest(texts=["a"] * 513, kind=embedding_pb2.TEXT_KIND_PASSAGE), "texts"),
    ],
)
async def test_bad_requests_name_the_field(address: str, request_: embedding_pb2.EmbedRequest, field: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await embedding_pb2_grpc.EmbeddingServiceStub(channel).Embed(request_)
    error = from_rpc_error(raised.value)
    assert error is not None
    assert (error.reason, error.metadata["field"]) == ("VALIDATION_FAILED", field)


@pytest.mark.parametrize("key", [None, "", "k" * 31, "K" * 32])
async def test_calls_without_the_key_are_refused(guarded: str, key: str | None) -> None:
    client = EmbeddingClient(guarded, key, query_seconds=5, passages_seconds=5)
    for call in (client.embed_query("a"), client.embed_passages(["a"]), client.get_model()):
        with pytest.raises(DependencyUnavailableError, match="refuses the key"):
            await call
    await client.close()


async def test_calls_with_the_key_are_answered(guarded: str) -> None:
    client = EmbeddingClient(guarded, KEY, query_seconds=5, passages_seconds=5)
    assert (await client.embed_query("abc")).tolist() == [3, 0]
    assert (await client.embed_passages(["a"])).shape == (1, 2)
    assert (await client.get_model()).model_id == "length"
    await client.close()


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "10.0.0.1:0", "example.org:0"])
async def test_address_that_others_reach_needs_a_key(address: str) -> None:
    with pytest.raises(ValueError, match="ECHOMIND_EMBEDDING__API_KEY"):
        await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address)


async def test_a_request_that_is_too_large_is_rejected_with_a_reason(address: str) -> None:
    request = embedding_pb2.EmbedRequest(texts=["a" * 100_000] * 84, kind=embedding_pb2.TEXT_KIND_PASSAGE)
    huge = embedding_pb2.EmbedRequest(texts=["a" * 100_000] * 512, kind=embedding_pb2.TEXT_KIND_PASSAGE)
    async with grpc.aio.insecure_channel(address) as channel:
        stub = embedding_pb2_grpc.EmbeddingServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await stub.Embed(request)
        error = from_rpc_error(raised.value)
        assert error is not None
        assert (error.reason, "8,388,608 are embedded at once" in error.message) == ("VALIDATION_FAILED", True)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await stub.Embed(huge)
        assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_long_texts_are_cut_to_the_window_before_the_model_sees_them(address: str) -> None:
    request = embedding_pb2.EmbedRequest(texts=["a" * 500_000] * 8, kind=embedding_pb2.TEXT_KIND_PASSAGE)
    async with grpc.aio.insecure_channel(address) as channel:
        answer = await embedding_pb2_grpc.EmbeddingServiceStub(channel).Embed(request)
    lengths = np.frombuffer(answer.vectors, dtype="<f4").reshape(-1, 2)[:, 0]
    assert lengths.tolist() == [LengthEmbedder.max_tokens * 32] * 8


async def test_passages_of_any_length_fit_into_a_request(client: EmbeddingClient) -> None:
    assert (await client.embed_passages(["\U0001f600" * 200_000] * 70)).shape == (70, 2)
    assert (await client.embed_query("a" * 5_000_000)).shape == (2,)


async def test_health(guarded: str) -> None:
    async with grpc.aio.insecure_channel(guarded) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]
        for service in ("", "echomind.internal.v1.EmbeddingService"):
            answer = await check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_second_server_on_the_address_is_refused(address: str) -> None:
    with pytest.raises(RuntimeError):
        await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address)


async def test_errors_name_addresses_and_settings_to_the_log_alone(guarded: str) -> None:
    absent = f"127.0.0.1:{free_port()}"
    for url, setting in ((absent, "ECHOMIND_EMBEDDING__URL"), (guarded, "ECHOMIND_EMBEDDING__API_KEY")):
        client = EmbeddingClient(url, query_seconds=2, away_seconds=0)
        with pytest.raises(DependencyUnavailableError) as raised:
            await client.embed_query("a")
        await client.close()
        assert not any(word in raised.value.message for word in ("ECHOMIND", "127.0.0.1", "ipv4"))
        assert setting in raised.value.detail


async def test_process_that_cannot_be_reached_is_not_waited_for_as_long_as_a_long_queue() -> None:
    client = EmbeddingClient(f"127.0.0.1:{free_port()}", passages_seconds=300, away_seconds=0.5)
    async with asyncio.timeout(60):
        with pytest.raises(DependencyUnavailableError, match="does not answer"):
            await client.embed_passages(["a"])
    await client.close()


async def test_absent_process_is_named() -> None:
    client = EmbeddingClient(f"127.0.0.1:{free_port()}", query_seconds=0.2)
    with pytest.raises(DependencyUnavailableError, match="embedding process"):
        await client.embed_query("a")
    with pytest.raises(DependencyUnavailableError, match="embedding process"):
        await client.get_model()
    await client.close()


async def test_client_waits_for_a_process_that_restarts() -> None:
    address = f"127.0.0.1:{free_port()}"
    client = EmbeddingClient(address, passages_seconds=20)
    asked = asyncio.ensure_future(client.embed_passages(["abc"]))
    await asyncio.sleep(0)
    first = await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address)
    assert (await asked).tolist() == [[3, 1]]
    await first.stop()
    asked = asyncio.ensure_future(client.embed_passages(["abcd"]))
    await asyncio.sleep(0)
    second = await EmbeddingServer.start(Embedders.of(LengthEmbedder()), address)
    assert (await asked).tolist() == [[4, 1]]
    await client.close()
    await second.stop()


async def test_a_question_waits_until_its_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("echomind_lib.embeddings.service._LOAD_SECONDS", 0.01)
    may_load = threading.Event()

    def slow() -> LengthEmbedder:
        may_load.wait(30)
        return LengthEmbedder()

    address = f"127.0.0.1:{free_port()}"
    server = await EmbeddingServer.start(Embedders({"slow": slow, "length": LengthEmbedder}, "length"), address)
    client = EmbeddingClient(address, query_seconds=30)
    describe, asked_again = client._stub.DescribeModel, 0

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal asked_again
        asked_again += 1
        if asked_again == 3:
            may_load.set()
        return describe(*args, **options)

    monkeypatch.setattr(client._stub, "DescribeModel", counted)
    assert (await client.embed_query("abc", "slow")).tolist() == [3, 0]
    assert asked_again >= 3
    await client.close()
    await server.stop()


async def test_entry_point_serves_and_stops_in_order() -> None:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "echomind_ingestor.main",
        "embed",
        env={**os.environ, "ECHOMIND_EMBEDDING__URL": f"127.0.0.1:{port}"},
        stderr=subprocess.DEVNULL,
    )
    client = EmbeddingClient(f"127.0.0.1:{port}", query_seconds=30)
    vector = await client.embed_query("How many days of leave?", "all-MiniLM-L6-v2-int8")
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    await client.close()
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
