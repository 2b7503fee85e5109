"""The calls of Qdrant's gRPC API that the embedded server answers: `SERVED` lists them all."""

import asyncio
import hmac
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, NamedTuple

import grpc
import qdrant_edge as edge
from google.protobuf.message import Message

from echomind.local.embedded import qdrant_convert as convert
from echomind.local.embedded import qdrant_schema as schema
from echomind.local.embedded.qdrant_collections import FLUSH_INTERVAL, Collection, Collections
from echomind.local.embedded.qdrant_filters import filter_, filter_of, point_id
from echomind.local.embedded.qdrant_protocol import InvalidRequestError, RequestError, UnsupportedError, pb
from echomind_lib.errors import DiskFullError
from echomind_lib.process.disk import DiskSpace

VERSION = "1.19.0"
"""Version of Qdrant's API that is reported to clients."""

log = logging.getLogger(__name__)

# --- Collections ---------------------------------------------------------------------------------------------------


def _create_collection(collections: Collections, request: pb.CreateCollection) -> Message:
    collections.create(request)
    return pb.CollectionOperationResponse(result=True)


def _update_collection(collections: Collections, request: pb.UpdateCollection) -> Message:
    collections.requantize(request.collection_name, schema.quantization_change(request))
    return pb.CollectionOperationResponse(result=True)


def _delete_collection(collections: Collections, request: pb.DeleteCollection) -> Message:
    return pb.CollectionOperationResponse(result=collections.delete(request.collection_name))


def _list_collections(collections: Collections, _: pb.ListCollectionsRequest) -> Message:
    return pb.ListCollectionsResponse(collections=[pb.CollectionDescription(name=name) for name in collections.names()])


def _collection_exists(collections: Collections, request: pb.CollectionExistsRequest) -> Message:
    exists = request.collection_name in collections
    return pb.CollectionExistsResponse(result=pb.CollectionExists(exists=exists))


# The effective configuration, whatever the request asked for; clients require every field.
NO_GRAPH = pb.HnswConfigDiff(m=0, ef_construct=100, full_scan_threshold=10_000)
VACUUM_ONLY = pb.OptimizersConfigDiff(
    deleted_threshold=0.2,
    vacuum_min_vector_number=1000,
    default_segment_number=1,
    indexing_threshold=0,
    flush_interval_sec=int(FLUSH_INTERVAL),
)
WAL = pb.WalConfigDiff(wal_capacity_mb=32, wal_segments_ahead=0)


def _get_collection(collections: Collections, request: pb.GetCollectionInfoRequest) -> Message:
    collection = collections.get(request.collection_name)
    config, info = collection.config, collection.shard.info()
    return pb.GetCollectionInfoResponse(
        result=pb.CollectionInfo(
            status=pb.CollectionStatus.Green,
            optimizer_status=pb.OptimizerStatus(ok=True),
            segments_count=info.segments_count,
            points_count=info.points_count,
            indexed_vectors_count=info.indexed_vectors_count,
            payload_schema=schema.payload_schema(info.payload_schema),
            config=pb.CollectionConfig(
                params=pb.CollectionParams(
                    shard_number=1,
                    replication_factor=1,
                    write_consistency_factor=1,
                    vectors_config=config.vectors_config,
                    sparse_vectors_config=config.sparse_vectors_config,
                ),
                hnsw_config=NO_GRAPH,
                optimizer_config=VACUUM_ONLY,
                wal_config=WAL,
                quantization_config=config.quantization_config if config.HasField("quantization_config") else None,
                metadata=config.metadata,
            ),
        )
    )


# --- Points --------------------------------------------------------------------------------------------------------

UPDATE_MODES = {
    pb.UpdateMode.Upsert: edge.UpdateMode.Upsert,
    pb.UpdateMode.InsertOnly: edge.UpdateMode.InsertOnly,
    pb.UpdateMode.UpdateOnly: edge.UpdateMode.UpdateOnly,
}


def _upsert(collections: Collections, request: pb.UpsertPoints) -> Message:
    condition = filter_(request.update_filter) if request.HasField("update_filter") else None
    mode = UPDATE_MODES[request.update_mode]
    collections.get(request.collection_name).upsert(request.points, condition, mode)
    return _completed()


def _completed() -> Message:
    return pb.PointsOperationResponse(result=pb.UpdateResult(status=pb.UpdateStatus.Completed))


def _apply(
    collection: Collection,
    selector: pb.PointsSelector,
    operation: Callable[..., edge.UpdateOperation],
    *arguments: object,
) -> Message:
    """Apply an operation to the points that a selector names."""
    match selector.WhichOneof("points_selector_one_of"):
        case "points":
            collection.update(operation([point_id(each) for each in selector.points.ids], *arguments))
        case "filter":
            for ids in collection.pieces(filter_(selector.filter)):
                collection.update(operation(ids, *arguments))
        case _:
            raise InvalidRequestError("no points are selected: give ids or a filter")
    return _completed()


def _delete_points(collections: Collections, request: pb.DeletePoints) -> Message:
    return _apply(collections.get(request.collection_name), request.points, edge.UpdateOperation.delete_points)


def _set_payload(collections: Collections, request: pb.SetPayloadPoints) -> Message:
    return _write_payload(collections, request, edge.UpdateOperation.set_payload)


def _overwrite_payload(collections: Collections, request: pb.SetPayloadPoints) -> Message:
    return _write_payload(collections, request, edge.UpdateOperation.overwrite_payload)


def _write_payload(
    collections: Collections, request: pb.SetPayloadPoints, operation: Callable[..., edge.UpdateOperation]
) -> Message:
    collection = collections.get(request.collection_name)
    key = request.key if request.HasField("key") else None
    return _apply(collection, request.points_selector, operation, convert.payload(request.payload), key)


def _delete_payload(collections: Collections, request: pb.DeletePayloadPoints) -> Message:
    collection = collections.get(request.collection_name)
    return _apply(collection, request.points_selector, edge.UpdateOperation.delete_payload, list(request.keys))


def _create_field_index(collections: Collections, request: pb.CreateFieldIndexCollection) -> Message:
    operation = edge.UpdateOperation.create_field_index(request.field_name, schema.field_index(request))
    collections.get(request.collection_name).update(operation)
    return _completed()


def _delete_field_index(collections: Collections, request: pb.DeleteFieldIndexCollection) -> Message:
    collections.get(request.collection_name).update(edge.UpdateOperation.delete_field_index(request.field_name))
    return _completed()


def _query(collections: Collections, request: pb.QueryPoints) -> Message:
    response = pb.QueryResponse()
    found = collections.get(request.collection_name).query(convert.query_request(request))
    convert.write_scored(found, response.result)
    return response


def _query_batch(collections: Collections, request: pb.QueryBatchPoints) -> Message:
    queries = edge.QueryBatchRequest([convert.query_request(each) for each in request.query_points])
    found = collections.get(request.collection_name).query_batch(queries)
    response = pb.QueryBatchResponse()
    for each in found:
        convert.write_scored(each, response.result.add().result)
    return response


def _scroll(collections: Collections, request: pb.ScrollPoints) -> Message:
    records, next_id = collections.get(request.collection_name).shard.scroll(convert.scroll_request(request))
    response = pb.ScrollResponse(next_page_offset=None if next_id is None else convert.point_id_message(next_id))
    convert.write_retrieved(records, response.result)
    return response


def _count(collections: Collections, request: pb.CountPoints) -> Message:
    exact = request.exact if request.HasField("exact") else True
    counted = edge.CountRequest(exact=exact, filter=filter_of(request))
    return pb.CountResponse(result=pb.CountResult(count=collections.get(request.collection_name).shard.count(counted)))


def _get_points(collections: Collections, request: pb.GetPoints) -> Message:
    records = collections.get(request.collection_name).shard.retrieve(
        [point_id(each) for each in request.ids],
        convert.with_payload(request.with_payload),
        convert.with_vectors(request.with_vectors),
    )
    response = pb.GetResponse()
    convert.write_retrieved(records, response.result)
    return response


def _health_check(_: Collections, __: pb.HealthCheckRequest) -> Message:
    return pb.HealthCheckReply(title="EchoMind, Qdrant-compatible", version=VERSION)


# --- Serving -------------------------------------------------------------------------------------------------------


class Rpc(NamedTuple):
    """A supported RPC: its request type, its handler, whether it writes, and whether that needs disk space."""

    request: Any
    answer: Callable[[Collections, Any], Message]
    writes: bool = False
    grows: bool = False


SERVED: dict[str, Rpc] = {
    "/qdrant.Qdrant/HealthCheck": Rpc(pb.HealthCheckRequest, _health_check),
    "/qdrant.Collections/Create": Rpc(pb.CreateCollection, _create_collection, writes=True, grows=True),
    "/qdrant.Collections/Update": Rpc(pb.UpdateCollection, _update_collection, writes=True, grows=True),
    "/qdrant.Collections/Delete": Rpc(pb.DeleteCollection, _delete_collection, writes=True),
    "/qdrant.Collections/Get": Rpc(pb.GetCollectionInfoRequest, _get_collection),
    "/qdrant.Collections/List": Rpc(pb.ListCollectionsRequest, _list_collections),
    "/qdrant.Collections/CollectionExists": Rpc(pb.CollectionExistsRequest, _collection_exists),
    "/qdrant.Points/Upsert": Rpc(pb.UpsertPoints, _upsert, writes=True, grows=True),
    "/qdrant.Points/Delete": Rpc(pb.DeletePoints, _delete_points, writes=True),
    "/qdrant.Points/SetPayload": Rpc(pb.SetPayloadPoints, _set_payload, writes=True),
    "/qdrant.Points/OverwritePayload": Rpc(pb.SetPayloadPoints, _overwrite_payload, writes=True),
    "/qdrant.Points/DeletePayload": Rpc(pb.DeletePayloadPoints, _delete_payload, writes=True),
    "/qdrant.Points/CreateFieldIndex": Rpc(pb.CreateFieldIndexCollection, _create_field_index, writes=True, grows=True),
    "/qdrant.Points/DeleteFieldIndex": Rpc(pb.DeleteFieldIndexCollection, _delete_field_index, writes=True),
    "/qdrant.Points/Query": Rpc(pb.QueryPoints, _query),
    "/qdrant.Points/QueryBatch": Rpc(pb.QueryBatchPoints, _query_batch),
    "/qdrant.Points/Scroll": Rpc(pb.ScrollPoints, _scroll),
    "/qdrant.Points/Count": Rpc(pb.CountPoints, _count),
    "/qdrant.Points/Get": Rpc(pb.GetPoints, _get_points),
}

WITHOUT_KEY = frozenset({"/qdrant.Qdrant/HealthCheck"})

# The engine raises plain exceptions; messages with these prefixes are server errors and not errors of the request.
ENGINE_FAULTS = ("Service runtime error", "Inconsistent storage error", "Out of memory")
SHARD_CLOSED = "Service runtime error: Shard is not initialized"


class QdrantRpcs(grpc.GenericRpcHandler):
    """Checks the key, runs the call in a thread, and turns errors into statuses."""

    def __init__(self, collections: Collections, api_key: str, disk: DiskSpace, readers: Executor, writer: Executor):
        """Serve `collections`.

        Args:
            collections: The collections to serve.
            api_key: Expected in the metadata `api-key` of each call.
            disk: The disk of the collections.
            readers: Runs the reading calls.
            writer: Runs the writing calls; must have one thread.
        """
        self._collections = collections
        self._disk = disk
        self._api_key = api_key.encode()
        self._served = {method: self._handler(rpc, writer if rpc.writes else readers) for method, rpc in SERVED.items()}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Returns the handler of a call; called by gRPC."""
        method = handler_call_details.method
        if method not in WITHOUT_KEY:
            given = dict(handler_call_details.invocation_metadata or ()).get("api-key", "")
            if not hmac.compare_digest(str(given).encode(), self._api_key):
                return _refusal(RequestError(grpc.StatusCode.UNAUTHENTICATED, "Invalid API key"))
        return self._served.get(method) or _refusal(UnsupportedError(f"the RPC {method}"))

    def _handler(self, rpc: Rpc, executor: Executor) -> Any:
        async def answer(request: Any, context: Any) -> Any:
            start = time.perf_counter()
            try:
                if rpc.grows:
                    self._disk.require()
                response: Any = await asyncio.get_running_loop().run_in_executor(
                    executor, rpc.answer, self._collections, request
                )
            except Exception as error:  # noqa: BLE001 - every failure of a call ends as a status
                status = _status(error)
                await context.abort(status.code, str(status))
            if "time" in response.DESCRIPTOR.fields_by_name:
                response.time = time.perf_counter() - start
            return response

        return grpc.unary_unary_rpc_method_handler(
            answer, request_deserializer=rpc.request.FromString, response_serializer=_serialize
        )


def _serialize(response: Message) -> bytes:
    return response.SerializeToString()


def _refusal(error: RequestError) -> Any:
    async def refuse(_: bytes, context: Any) -> None:
        await context.abort(error.code, str(error))

    return grpc.unary_unary_rpc_method_handler(refuse)


def _status(error: Exception) -> RequestError:
    if isinstance(error, RequestError):
        return error
    if isinstance(error, DiskFullError):
        return RequestError(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
    message = str(error)
    from_engine = type(error) is Exception
    if from_engine and message.startswith(SHARD_CLOSED):
        return RequestError(grpc.StatusCode.UNAVAILABLE, "The collection is just being deleted or reopened: try again")
    if from_engine and message.startswith("No point with id"):
        return RequestError(grpc.StatusCode.NOT_FOUND, message)
    if (from_engine and not message.startswith(ENGINE_FAULTS)) or isinstance(error, ValueError | TypeError):
        return InvalidRequestError(message)
    log.error("a call failed", exc_info=error)
    return RequestError(grpc.StatusCode.INTERNAL, message)
