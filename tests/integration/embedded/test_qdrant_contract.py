"""Qdrant's published API: what EchoMind sends to a vector server, and what the embedded one answers, conform to it.

`third_party/qdrant` has the files of Qdrant's API. These tests have no server of Qdrant: its statuses are those of its
source, which is named beside each case.
"""

import asyncio
import inspect
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from grpc_tools import protoc  # type: ignore[import-untyped]
from qdrant_client.grpc import collections_service_pb2, points_service_pb2, qdrant_pb2

from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.qdrant_rpcs import SERVED, VERSION
from echomind_lib.errors import DependencyUnavailableError, DiskFullError
from echomind_lib.vectors import FACT_FIELDS, Filter, Point, SparseVector, VectorIndex, require_server, server_versions
from echomind_lib.vectors import index as vector_index
from echomind_lib.vectors import server as vector_server
from echomind_lib.vectors.failures import to_error
from echomind_lib.vectors.qdrant_messages import pb
from tests.paths import ROOT

PUBLISHED = ROOT / "third_party" / "qdrant"
SERVICES = ("points_service.proto", "collections_service.proto", "qdrant.proto")
COLLECTION = "chunks_7"


@cache
def published() -> dict[str, MethodDescriptor]:
    """Returns the calls of the published API by their paths."""
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(file.read_text() for file in PUBLISHED.glob("*.proto"))
        for name in re.findall(r'^import "([\w.]+)"', text, re.MULTILINE):
            if not (PUBLISHED / name).exists():  # imported for services between Qdrant's own nodes
                (Path(folder) / name).write_text('syntax = "proto3";\n')
        target = Path(folder) / "api.binpb"
        google = Path(protoc.__file__).parent / "_proto"
        includes = [f"-I{PUBLISHED}", f"-I{folder}", f"-I{google}"]
        assert protoc.main(["", *includes, "--include_imports", f"-o{target}", *SERVICES]) == 0
        files = descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return {
        f"/{service.full_name}/{method.name}": method
        for name in SERVICES
        for service in pool.FindFileByName(name).services_by_name.values()
        for method in service.methods
    }


# -- what is sent and answered -------------------------------------------------------------------------------------
class Recorded(VectorIndex):
    """A connection that keeps what it sends and gets."""

    def __init__(self, url: str, api_key: str) -> None:
        super().__init__(url, api_key)
        self.calls: list[tuple[str, Message, Message]] = []

    async def _call(self, method: Any, request: Any, seconds: float, **options: Any) -> Any:
        response = await super()._call(method, request, seconds, **options)
        copy = type(request)()
        copy.CopyFrom(request)
        self.calls.append((method._method.decode(), copy, response))
        return response


async def use_everything(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses each method of the vector index, with each of its options."""
    monkeypatch.setattr(vector_index, "_SCROLL_PAGE", 2)
    monkeypatch.setattr(vector_index, "_VALUES_PAGE", 2)
    await index.check()
    await index.version()
    await index.ensure(COLLECTION, 4)
    await index.ensure(f"{COLLECTION}_facts", 4, FACT_FIELDS)
    dense = pb.VectorParams(size=4, distance=pb.Distance.Cosine)
    plain = pb.CreateCollection(
        collection_name="plain",
        vectors_config=pb.VectorsConfig(params_map=pb.VectorParamsMap(map={"dense": dense})),
        sparse_vectors_config=pb.SparseVectorConfig(map={"bm25": pb.SparseVectorParams()}),
    )
    await index._call(index._collections.Create, plain, 10)
    await index.ensure("plain", 4)  # one of an older version, which is quantized
    terms = SparseVector(np.array([3, 5], np.uint32), np.array([1.5, 0.5], np.float32))
    payloads: list[dict[str, Any]] = [
        {
            "scope": "org",
            "chunking_session": f"s{number}",
            "document_id": number,
            "connector_id": connector,
            "page": None,
        }
        for number, connector in enumerate([7, 8, 8, 8, 8])
    ]
    stored = [
        Point(str(UUID(int=number + 1)), np.array([1, number, 2, 3], np.float32), terms, payload)
        for number, payload in enumerate(payloads)
    ]
    await index.upsert(COLLECTION, stored)
    mine: Filter = {"scope": ["org", "user_1"], "document_id": [0, 1, 2, 3, 4]}
    await index.set_payload(COLLECTION, {"scope": "user_1", "read": 7}, {"document_id": [4]})
    vector = np.array([1, 1, 2, 3], np.float32)
    other: Filter = {"document_id": [3]}
    await index.query(COLLECTION, mine, dense=vector, limit=3)
    await index.query(COLLECTION, mine, sparse=terms, limit=3, fields=["text"])
    await asyncio.gather(*(index.query(COLLECTION, {}, sparse=terms, limit=limit) for limit in (2, 3)))
    assert len(await index.get(COLLECTION, [stored[0].id, stored[1].id], ["document_id"])) == 2
    found = await index.query(
        *(COLLECTION, mine),
        dense=vector,
        sparse=terms,
        limit=3,
        without=other,
        within={"document_id": [1, 2], "connector_id": [7]},
        with_vectors=True,
    )
    assert {hit.payload["document_id"] for hit in found} == {0, 1, 2}
    assert len([hit async for hit in index.scroll(COLLECTION, mine)]) == 5
    pages = [page async for page in index.copies(COLLECTION)]
    assert sum([await index.store_copies("plain", page) for page in pages]) == 5
    assert await index.values(COLLECTION, "chunking_session", mine) == {f"s{number}" for number in range(5)}
    _, begin = await index.versions(COLLECTION, None, 2)
    await index.versions(COLLECTION, begin, 2)
    await index.delete(COLLECTION, mine, unless=other)
    assert await index.count(COLLECTION, mine) == 1
    assert "plain" in await index.collections()
    await index.drop("plain")


@pytest.fixture
async def recorded(qdrant_url: str, qdrant_api_key: str) -> Recorded:
    return Recorded(qdrant_url, qdrant_api_key)


async def test_what_is_sent_and_answered_is_of_the_published_api(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    await use_everything(recorded, monkeypatch)
    await recorded.close()
    used = {path for path, _, _ in recorded.calls}
    source = inspect.getsource(vector_server) + inspect.getsource(vector_index)
    services = {"points": "Points", "collections": "Collections", "server": "Qdrant"}
    named = re.findall(r"self\._(points|collections|server)\.(\w+)", source)
    assert used == {f"/qdrant.{services[service]}/{method}" for service, method in named}, "a call is not exercised"
    assert used <= SERVED.keys()
    for path, request, response in recorded.calls:
        method = published()[path]
        assert list(unknown(request, method.input_type)) == [], path
        assert list(unknown(response, method.output_type)) == [], path


def unknown(message: Message, known: Descriptor) -> Iterator[str]:
    """Yields where a message has fields that a published type does not have."""
    data = message.SerializeToString()
    read = message_factory.GetMessageClass(known).FromString(data)
    yield from _unknown(read, known.name)
    # Fields that are known have their meaning, or the message would be another one.
    assert type(message).FromString(read.SerializeToString()) == message, known.full_name


def _unknown(message: Message, path: str) -> Iterator[str]:
    yield from (f"{path}: field {field.field_number}" for field in UnknownFieldSet(message))  # type: ignore[attr-defined]
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            values = list(value.values()) if field.message_type.fields_by_name["value"].message_type else []
        else:
            values = list(value) if field.is_repeated else [value]
        for item in values:
            yield from _unknown(item, f"{path}.{field.name}")


# -- messages of the client library ----------------------------------------------------------------------------------
def fields_of(method: MethodDescriptor) -> dict[str, tuple[Any, ...]]:
    """Returns all fields of a call's messages, and of those within them, by their names."""
    found: dict[str, tuple[Any, ...]] = {}
    waiting, seen = [method.input_type, method.output_type], set()
    while waiting:
        descriptor = waiting.pop()
        if descriptor.full_name in seen:
            continue
        seen.add(descriptor.full_name)
        for field in descriptor.fields:
            found[field.full_name] = _form(field)
            if field.message_type is not None:
                waiting.append(field.message_type)
    return found


def _form(field: FieldDescriptor) -> tuple[Any, ...]:
    named = field.message_type or field.enum_type
    values = tuple((value.name, value.number) for value in field.enum_type.values) if field.enum_type else ()
    choice = field.containing_oneof.name if field.containing_oneof else ""
    return field.number, field.type, field.is_repeated, named.full_name if named else "", choice, values


@pytest.mark.parametrize("path", SERVED)
def test_the_client_library_has_the_published_fields(path: str) -> None:
    """Fields that are newer than the published version may be there: `unknown` says whether they are used."""
    service, _, name = path.removeprefix("/").partition("/")
    modules = (points_service_pb2, collections_service_pb2, qdrant_pb2)
    services = {each.full_name: each for module in modules for each in module.DESCRIPTOR.services_by_name.values()}
    library, api = fields_of(services[service].methods_by_name[name]), fields_of(published()[path])
    assert api.keys() <= library.keys()
    different = {name: (api[name], library[name]) for name in api if not _same(api[name], library[name])}
    assert not different


def _same(api: tuple[Any, ...], library: tuple[Any, ...]) -> bool:
    return api[:-1] == library[:-1] and set(api[-1]) <= set(library[-1])


# -- versions and statuses -------------------------------------------------------------------------------------------
def test_a_server_that_would_ignore_whom_a_search_is_for_is_refused() -> None:
    for version in (VERSION, "1.19.2-dev", "1.20.0", "2.0.0"):
        require_server(version)
    for version in ("1.18.3", "0.9.1", ""):
        with pytest.raises(DependencyUnavailableError, match="too old") as refused:
            require_server(version)
        assert "needs Qdrant 1.19 or newer" in refused.value.detail


async def test_a_collection_is_made_on_no_older_server(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_versions, "OLDEST_SERVER", (99, 0))
    with pytest.raises(DependencyUnavailableError, match="too old"):
        await recorded.ensure(COLLECTION, 4)
    assert await recorded.collections() == set()
    await recorded.close()


CASES: dict[str, tuple[str, Message, grpc.StatusCode]] = {
    # collections_ops.rs: AlreadyExists and NotFound; conversions.rs: their codes.
    "a collection that exists": (
        "/qdrant.Collections/Create",
        pb.CreateCollection(
            collection_name=COLLECTION,
            vectors_config=pb.VectorsConfig(params=pb.VectorParams(size=4, distance=pb.Distance.Dot)),
        ),
        grpc.StatusCode.ALREADY_EXISTS,
    ),
    "points of no collection": (
        "/qdrant.Points/Count",
        pb.CountPoints(collection_name="nowhere"),
        grpc.StatusCode.NOT_FOUND,
    ),
    "a description of no collection": (
        "/qdrant.Collections/Get",
        pb.GetCollectionInfoRequest(collection_name="nowhere"),
        grpc.StatusCode.NOT_FOUND,
    ),
    # A vector of another dimension is bad input.
    "a vector of another dimension": (
        "/qdrant.Points/Query",
        pb.QueryPoints(
            collection_name=COLLECTION,
            using="dense",
            query=pb.Query(nearest=pb.VectorInput(dense=pb.DenseVector(data=[1.0, 2.0]))),
        ),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    # update_common.rs: without a selector there is nothing to delete.
    "points that nothing selects": (
        "/qdrant.Points/Delete",
        pb.DeletePoints(collection_name=COLLECTION),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
}
"""Calls that Qdrant refuses, and the codes with which it does."""


@pytest.mark.parametrize("case", CASES)
async def test_statuses_are_qdrants(recorded: Recorded, qdrant_server: QdrantServer, case: str) -> None:
    path, request, code = CASES[case]
    await recorded.ensure(COLLECTION, 4)
    call: Any = recorded._channel.unary_unary(path, request_serializer=type(request).SerializeToString)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call(request, metadata=(("api-key", qdrant_server.api_key),))
    assert refused.value.code() is code
    await recorded.close()


@pytest.mark.parametrize(
    "details",
    [
        "Service internal error: No space left on device: WAL buffer size exceeds available disk space",
        "Insufficient storage: the limit of the collection is reached",
    ],
)
def test_a_server_without_space_is_understood(details: str) -> None:
    metadata = grpc.aio.Metadata()
    error = grpc.aio.AioRpcError(grpc.StatusCode.RESOURCE_EXHAUSTED, metadata, metadata, details)
    assert isinstance(to_error(error), DiskFullError)
