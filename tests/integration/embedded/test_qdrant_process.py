"""The Qdrant-compatible server as a process: one owner, durable, clean in its end."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError
from qdrant_edge import (
    CountRequest,
    PayloadSchemaType,
    QuantizationSearchParams,
    Query,
    QueryRequest,
    SearchParams,
    UpdateMode,
    UpdateOperation,
)

from echomind.local.embedded.process import free_port, spawn, stop, wait_ready
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.qdrant_collections import (
    FLUSH_INTERVAL,
    IDLE_BEFORE_VACUUM,
    POINTS_PER_CHANGE,
    UNASKED_BEFORE_VACUUM,
    Collections,
)
from echomind.local.embedded.qdrant_filters import filter_
from echomind.local.embedded.qdrant_protocol import pb
from echomind.local.embedded.qdrant_rpcs import SERVED
from tests.drivers.lazily import Lazily
from tests.drivers.servers import running

if TYPE_CHECKING:
    import qdrant_client as qdrant
    from qdrant_client import models
else:
    qdrant, models = Lazily("qdrant_client"), Lazily("qdrant_client.models")

COLLECTION = "chunks"


@pytest.fixture
def server(tmp_path: Path) -> QdrantServer:
    """A server with a folder of its own, not started."""
    return QdrantServer(tmp_path / "vectors", free_port(), "key")


@asynccontextmanager
async def client_of(server: QdrantServer) -> AsyncIterator[qdrant.AsyncQdrantClient]:
    client = qdrant.AsyncQdrantClient(
        url=server.url,
        grpc_port=server.port,
        prefer_grpc=True,
        headers={"api-key": server.api_key},
        check_compatibility=False,
        # Otherwise a client shares the connection of an earlier one to the same port, and its waiting time after a
        # failure.
        grpc_options={"grpc.use_local_subchannel_pool": 1},
    )
    try:
        yield client
    finally:
        await client.close()


async def create(client: qdrant.AsyncQdrantClient) -> None:
    await client.create_collection(
        COLLECTION,
        vectors_config={"dense": models.VectorParams(size=4, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    await client.create_payload_index(COLLECTION, "scope", models.PayloadSchemaType.KEYWORD)


def rows(numbers: Iterable[int]) -> list[models.PointStruct]:
    return [
        models.PointStruct(
            id=number,
            vector={"dense": [1.0, number, 2.0, 3.0], "bm25": models.SparseVector(indices=[number], values=[1.0])},
            payload={"scope": "org", "text": f"chunk {number}"},
        )
        for number in numbers
    ]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
async def test_what_was_answered_survives(server: QdrantServer, tmp_path: Path, end: signal.Signals) -> None:
    answered = 0
    with running(server, tmp_path) as process:
        async with client_of(server) as client:
            await create(client)
            await client.upsert(COLLECTION, rows(range(1000)))
            await client.delete(COLLECTION, [5])

            async def write() -> None:
                nonlocal answered
                for number in range(1000, 100_000):
                    await client.upsert(COLLECTION, rows([number]))
                    answered = number
                    if answered == 1100:
                        process.send_signal(end)

            with pytest.raises(Exception, match=r"UNAVAILABLE|CANCELLED"):
                await write()
        process.wait(60)
        assert process.returncode == (0 if end == signal.SIGTERM else -signal.SIGKILL)
    with running(server, tmp_path):
        async with client_of(server) as client:
            # The interrupted write may or may not have been applied.
            count = (await client.count(COLLECTION)).count
            assert count - answered in (0, 1)
            assert await client.retrieve(COLLECTION, [5]) == []
            (record,) = await client.retrieve(COLLECTION, [answered])
            assert record.payload == {"scope": "org", "text": f"chunk {answered}"}
            term = models.SparseVector(indices=[777], values=[1.0])
            found = await client.query_points(COLLECTION, query=term, using="bm25", limit=1)
            assert found.points[0].id == 777
            assert (await client.get_collection(COLLECTION)).payload_schema["scope"].points == count


async def test_queries_are_answered_during_writes(server: QdrantServer, tmp_path: Path) -> None:
    with running(server, tmp_path):
        async with client_of(server) as client:
            await create(client)
            await client.upsert(COLLECTION, rows(range(100)))

            async def write() -> None:
                for start in range(100, 6100, 2000):
                    await client.upsert(COLLECTION, rows(range(start, start + 2000)))

            writing = asyncio.create_task(write())
            answers = 0
            while not writing.done():
                found = await client.query_points(COLLECTION, query=[1.0, 50.0, 2.0, 3.0], using="dense", limit=3)
                assert len(found.points) == 3
                answers += 1
            await writing
            assert answers > 3, "queries waited for whole requests"
            assert (await client.count(COLLECTION)).count == 6100


def test_a_folder_has_one_owner(server: QdrantServer, tmp_path: Path) -> None:
    with running(server, tmp_path):
        other = QdrantServer(server.data_dir, free_port(), "key").spec()
        done = subprocess.run(other.argv, env=other.env, capture_output=True, text=True, timeout=30)
        assert done.returncode == 1
        assert f"{server.data_dir} is in use by another process" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_port_has_one_owner(server: QdrantServer, tmp_path: Path) -> None:
    with running(server, tmp_path):
        other = QdrantServer(tmp_path / "other", server.port, "key").spec()
        done = subprocess.run(other.argv, env=other.env, capture_output=True, text=True, timeout=30)
        assert done.returncode == 1
        assert f"cannot serve on port {server.port}" in done.stderr
        assert "Traceback" not in done.stderr


def test_stops_while_clients_are_connected(server: QdrantServer, tmp_path: Path) -> None:
    spec = server.spec()
    server.prepare()
    process = spawn(spec, tmp_path / "log")
    wait_ready(process, spec, tmp_path / "log")

    async def use() -> None:
        async with client_of(server) as client:
            await create(client)
            stop(process, spec)

    asyncio.run(use())
    assert process.returncode == 0


def collection_request(name: str = COLLECTION) -> pb.CreateCollection:
    dense = pb.VectorParams(size=2, distance=pb.Distance.Dot)
    return pb.CreateCollection(collection_name=name, vectors_config=pb.VectorsConfig(params=dense))


def points(count: int) -> list[pb.PointStruct]:
    data = pb.Vectors(vector=pb.Vector(dense=pb.DenseVector(data=[1, 2])))
    return [pb.PointStruct(id=pb.PointId(num=number), vectors=data) for number in range(count)]


def size(folder: Path) -> int:
    return sum(path.stat().st_blocks for path in folder.rglob("*"))


def test_the_rest_of_an_interrupted_creation_is_removed(tmp_path: Path) -> None:
    collections = Collections(tmp_path)
    collections.create(collection_request("kept"))
    collections.create(collection_request("interrupted"))
    collections.close()
    (tmp_path / "collection-interrupted" / "collection.binpb").unlink()
    collections = Collections(tmp_path)
    assert collections.names() == ["kept"]
    collections.create(collection_request("interrupted"))
    collections.close()


def test_deleted_points_are_cleared_away_once_nobody_writes_or_searches(tmp_path: Path) -> None:
    collections = Collections(tmp_path)
    collections.create(collection_request())
    collection = collections.get(COLLECTION)
    collection.upsert(points(20_000), None, UpdateMode.Upsert)
    collection.update(UpdateOperation.delete_points(list(range(15_000))))
    assert collection.unflushed_since is not None
    assert collection.unvacuumed_since is not None
    last_write = collection.unvacuumed_since
    collections.maintain(last_write + IDLE_BEFORE_VACUUM / 2)
    assert collection.unvacuumed_since == last_write
    collection.query(QueryRequest(limit=1, query=Query.Nearest([1.0, 2.0])))
    collections.maintain(last_write + FLUSH_INTERVAL + 1)
    assert collection.unflushed_since is None
    assert collection.unvacuumed_since == last_write, "it would hold up who is searching now"
    collections.maintain(collection.queried_at + UNASKED_BEFORE_VACUUM + 1)
    assert collection.unvacuumed_since is None
    assert collection.shard.info().points_count == 5_000
    collections.close()
    before_vacuum = tmp_path / "never"
    other = Collections(before_vacuum)
    other.create(collection_request())
    other.get(COLLECTION).upsert(points(20_000), None, UpdateMode.Upsert)
    other.get(COLLECTION).update(UpdateOperation.delete_points(list(range(15_000))))
    other.close()
    assert size(tmp_path / f"collection-{COLLECTION}") < size(before_vacuum)


def test_stored_points_are_quantized_by_the_next_vacuum(tmp_path: Path) -> None:
    request = collection_request()
    request.vectors_config.params.size = 32
    values = np.random.default_rng(1).normal(size=(2000, 32))
    collections = Collections(tmp_path)
    collections.create(request)
    stored = [
        pb.PointStruct(id=pb.PointId(num=number), vectors=pb.Vectors(vector=pb.Vector(dense=pb.DenseVector(data=row))))
        for number, row in enumerate(values.tolist())
    ]
    collections.get(COLLECTION).upsert(stored, None, UpdateMode.Upsert)

    def scores(*, rough: bool) -> list[float]:
        params = SearchParams(quantization=QuantizationSearchParams(rescore=not rough, oversampling=2.0))
        query = QueryRequest(limit=50, query=Query.Nearest(values[0].tolist()), params=params)
        return [each.score for each in collections.get(COLLECTION).shard.query(query)]

    exact = scores(rough=False)
    assert scores(rough=True) == pytest.approx(exact, abs=1e-4)
    turbo = pb.QuantizationConfig(turboquant=pb.TurboQuantization(bits=pb.TurboQuantBitSize.Bits4))
    collections.requantize(COLLECTION, turbo)
    assert scores(rough=False) == pytest.approx(exact, abs=1e-4)
    collections.close()
    collections = Collections(tmp_path)
    assert collections.get(COLLECTION).config.quantization_config == turbo
    collections.maintain(collections.get(COLLECTION).queried_at + UNASKED_BEFORE_VACUUM + 1)
    assert collections.get(COLLECTION).shard.info().points_count == len(stored)
    assert scores(rough=True) != pytest.approx(exact, abs=1e-4)
    assert scores(rough=False) == pytest.approx(exact, abs=1e-4)
    collections.close()


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux tells what of a mapping is in memory")
def test_what_indexes_are_read_from_at_a_start_is_not_kept_in_memory(tmp_path: Path) -> None:
    collections = Collections(tmp_path)
    collections.create(collection_request())
    keyword = UpdateOperation.create_field_index("group", PayloadSchemaType.Keyword)
    collections.get(COLLECTION).update(keyword)
    collections.get(COLLECTION).upsert(points(1000), None, UpdateMode.Upsert)
    collections.close()
    collections = Collections(tmp_path)
    folder = str(tmp_path / f"collection-{COLLECTION}")
    mapped, resident = 0, 0
    is_index = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *values = line.split()
        if not name.endswith(":"):
            is_index = bool(values) and values[-1].startswith(folder) and "/payload_index/" in values[-1]
        elif is_index and name == "Size:":
            mapped += int(values[0])
        elif is_index and name == "Rss:":
            resident += int(values[0])
    assert resident < 256 < mapped
    marked = UpdateOperation.set_payload([1, 2, 3], {"group": "a"})
    collections.get(COLLECTION).update(marked)
    in_group = filter_(
        pb.Filter(must=[pb.Condition(field=pb.FieldCondition(key="group", match=pb.Match(keyword="a")))])
    )
    assert collections.get(COLLECTION).shard.count(CountRequest(filter=in_group, exact=True)) == 3
    collections.close()


def test_a_start_does_not_wait_for_a_vacuum(tmp_path: Path) -> None:
    collections = Collections(tmp_path)
    collections.create(collection_request())
    collections.get(COLLECTION).upsert(points(20_000), None, UpdateMode.Upsert)
    collections.get(COLLECTION).update(UpdateOperation.delete_points(list(range(15_000))))
    collections.close()
    collections = Collections(tmp_path)
    collection = collections.get(COLLECTION)
    collections.maintain(collection.queried_at + IDLE_BEFORE_VACUUM)
    assert collection.unvacuumed_since is not None, "who searched before a restart is still at work"
    assert collection.shard.optimize(), "the deleted points were not there any more"
    collections.maintain(collection.queried_at + UNASKED_BEFORE_VACUUM + 1)
    assert collection.unvacuumed_since is None
    assert collection.shard.info().points_count == 5_000
    collections.close()


def test_points_that_match_a_filter_are_changed_in_pieces_between_which_queries_have_their_turn(tmp_path: Path) -> None:
    collections = Collections(tmp_path)
    collections.create(collection_request())
    collection = collections.get(COLLECTION)
    collection.upsert(points(2 * POINTS_PER_CHANGE + 1), None, UpdateMode.Upsert)
    everything = filter_(pb.Filter())
    assert [len(ids) for ids in collection.pieces(everything)] == [POINTS_PER_CHANGE, POINTS_PER_CHANGE, 1]
    scope = {"scope": pb.Value(string_value="org")}
    given = pb.PointsSelector(filter=pb.Filter())
    request = pb.SetPayloadPoints(collection_name=COLLECTION, payload=scope, points_selector=given)
    SERVED["/qdrant.Points/SetPayload"].answer(collections, request)
    in_scope = pb.Filter(must=[pb.Condition(field=pb.FieldCondition(key="scope", match=pb.Match(keyword="org")))])
    assert collection.shard.count(CountRequest(filter=filter_(in_scope))) == 2 * POINTS_PER_CHANGE + 1
    doomed = pb.DeletePoints(collection_name=COLLECTION, points=pb.PointsSelector(filter=in_scope))
    SERVED["/qdrant.Points/Delete"].answer(collections, doomed)
    assert list(collection.pieces(everything)) == []
    collections.close()


async def test_with_a_full_disk_writes_fail_and_queries_work(
    server: QdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(server, tmp_path / "logs"):
        async with client_of(server) as client:
            await create(client)
            await client.upsert(COLLECTION, rows(range(3)))
    monkeypatch.setenv("ECHOMIND_DISK__RESERVE_MB", "10000000")  # more than any disk here has
    with running(server, tmp_path / "logs"):
        async with client_of(server) as client:
            with pytest.raises(AioRpcError) as caught:
                await client.upsert(COLLECTION, rows(range(3, 6)))
            assert caught.value.code() is StatusCode.RESOURCE_EXHAUSTED
            assert str(server.data_dir) in str(caught.value.details())
            assert (await client.count(COLLECTION)).count == 3
            # Removals are allowed, because they free space.
            await client.delete(COLLECTION, [1])
            assert (await client.count(COLLECTION)).count == 2
