"""Collections in a data folder: one engine shard each, exclusively owned by this process."""

import ctypes
import fcntl
import logging
import math
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import grpc
import psutil
import qdrant_edge as edge

from echomind.local.embedded import qdrant_convert as convert
from echomind.local.embedded import qdrant_schema as schema
from echomind.local.embedded.qdrant_protocol import InvalidRequestError, RequestError, pb

POINTS_PER_UPDATE = 128
"""Points of one update: the engine holds the GIL during an update, about 5 ms for this many, which blocks queries."""

POINTS_PER_CHANGE = 500
"""Points of one deletion or payload update, which takes up to 30 ms."""

FLUSH_INTERVAL = 60.0
"""Seconds between flushes while there are writes. The write-ahead log makes each write durable; a flush shortens it."""

IDLE_BEFORE_VACUUM = 30.0
"""Seconds without a write before deleted points are vacuumed, and points quantized after a change. This blocks queries,
for about 12 seconds with a hundred thousand points, so it is not done at start: searches wait only for short restarts
of a server."""

UNASKED_BEFORE_VACUUM = 300.0
"""Seconds without a query before that, so that active users do not wait for it."""

_READ_AHEAD = 128 * 1024
"""Bytes that one request to read ahead reads at least, on any disk; the kernel cuts longer requests."""

_MADV_DONTNEED = 4
"""Of Linux."""

log = logging.getLogger(__name__)


@dataclass
class Collection:
    """An open collection.

    Attributes:
        config: The request that created it, which is also its stored description.
        shard: The engine's storage.
        sizes: Dimensions of its dense vectors by name.
        sparse: Names of its sparse vectors.
        unflushed_since: Time of the first write after the last flush (monotonic), None without one.
        unvacuumed_since: Time of the last write without a later vacuum (monotonic), None without one.
        queried_at: Time of the last query (monotonic).
    """

    config: pb.CreateCollection
    shard: edge.EdgeShard
    sizes: dict[str, int] = field(init=False)
    sparse: frozenset[str] = field(init=False)
    unflushed_since: float | None = None
    unvacuumed_since: float | None = None
    queried_at: float = -math.inf

    def __post_init__(self) -> None:
        dense = schema.dense_vectors(self.config.vectors_config)
        self.sizes = {name: params.size for name, params in dense.items()}
        self.sparse = frozenset(self.config.sparse_vectors_config.map)

    def update(self, operation: edge.UpdateOperation) -> None:
        """Apply one operation; durable against a crash of this process when it returns."""
        self.shard.update(operation)
        now = time.monotonic()
        self.unflushed_since = self.unflushed_since or now
        self.unvacuumed_since = now

    def upsert(self, points: Sequence[pb.PointStruct], condition: edge.Filter | None, mode: edge.UpdateMode) -> None:
        """Store points, in pieces; all are checked before any is stored.

        Args:
            points: The points.
            condition: Only existing points that match it are changed; None for all.
            mode: Whether to insert, update, or both.
        """
        converted = [convert.point(point, self.sizes, self.sparse) for point in points]
        for start in range(0, len(converted), POINTS_PER_UPDATE):
            piece = converted[start : start + POINTS_PER_UPDATE]
            self.update(edge.UpdateOperation.upsert_points(piece, condition, mode))

    def pieces(self, condition: edge.Filter) -> Iterator[list[int | str | UUID]]:
        """Yields the ids of matching points in batches for one update each; points may be changed between batches.

        Args:
            condition: The condition.
        """
        offset = None
        while True:
            request = edge.ScrollRequest(
                offset=offset, limit=POINTS_PER_CHANGE, filter=condition, with_payload=False, with_vector=False
            )
            records, offset = self.shard.scroll(request)
            if records:
                yield [record.id for record in records]
            if offset is None:
                return

    def query(self, request: edge.QueryRequest) -> list[edge.ScoredPoint]:
        """Find points."""
        self.queried_at = time.monotonic()
        return self.shard.query(request)

    def query_batch(self, requests: edge.QueryBatchRequest) -> list[list[edge.ScoredPoint]]:
        """Find points for several requests."""
        self.queried_at = time.monotonic()
        return self.shard.query_batch(requests)


class Collections:
    """The collections of a data folder.

    Reads may run in several threads concurrently; writes must come from one thread.
    """

    def __init__(self, data_dir: Path):
        """Lock the folder and open its collections.

        Raises:
            BlockingIOError: Another process owns the folder.
        """
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._data_dir = data_dir
        self._lock = os.open(data_dir / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise
        self._open = {collection.config.collection_name: collection for collection in self._load()}

    def get(self, name: str) -> Collection:
        """Returns an open collection.

        Raises:
            RequestError: NOT_FOUND.
        """
        try:
            return self._open[name]
        except KeyError:
            message = f"Not found: Collection `{name}` doesn't exist!"
            raise RequestError(grpc.StatusCode.NOT_FOUND, message) from None

    def names(self) -> list[str]:
        """Returns names of all collections, sorted."""
        return sorted(self._open)

    def __contains__(self, name: str) -> bool:
        return name in self._open

    def create(self, request: pb.CreateCollection) -> None:
        """Create a collection.

        Raises:
            RequestError: The name exists, or the request is invalid.
        """
        name = request.collection_name
        if name in self._open:
            message = f"Wrong input: Collection `{name}` already exists!"
            raise RequestError(grpc.StatusCode.ALREADY_EXISTS, message)
        folder = self._folder(name)
        config = schema.engine_config(request)
        if not config.vectors and not config.sparse_vectors:
            raise InvalidRequestError("a collection needs at least one vector")
        folder.mkdir(mode=0o700)
        shard = edge.EdgeShard.create(str(folder / "shard"), config)
        # Written last: a folder without this file is an incomplete collection.
        _describe(folder, request)
        self._open[name] = Collection(request, shard)

    def requantize(self, name: str, quantization: pb.QuantizationConfig) -> None:
        """Changes the quantization of a collection; existing points follow at the next vacuum.

        Args:
            name: The collection.
            quantization: The new one.

        Raises:
            RequestError: NOT_FOUND.
        """
        collection = self.get(name)
        config = pb.CreateCollection()
        config.CopyFrom(collection.config)
        config.quantization_config.CopyFrom(quantization)
        folder = self._folder(name)
        # Only one shard can have the folder open. Queries fail with UNAVAILABLE until it is loaded again.
        collection.shard.close()
        shard = edge.EdgeShard.load(str(folder / "shard"), schema.engine_config(config))
        self._open[name] = Collection(config, shard)
        _describe(folder, config)

    def delete(self, name: str) -> bool:
        """Delete a collection and its data; False when there is none."""
        collection = self._open.pop(name, None)
        if collection is None:
            return False
        # Waits for active queries; new queries to this shard fail with UNAVAILABLE.
        collection.shard.close()
        folder = self._folder(name)
        (folder / "collection.binpb").unlink()
        shutil.rmtree(folder)
        return True

    def maintain(self, now: float) -> None:
        """Flushes collections after writes, and vacuums collections that have been idle for a while.

        Failures are retried the next time; the data is in the write-ahead log.

        Args:
            now: Monotonic seconds.
        """
        for collection in self._open.values():
            try:
                self._maintain(collection, now)
            except Exception:  # the engine has no specific exception classes
                log.exception("maintenance of %s failed", collection.config.collection_name)

    @staticmethod
    def _maintain(collection: Collection, now: float) -> None:
        if collection.unflushed_since is not None and now - collection.unflushed_since >= FLUSH_INTERVAL:
            collection.shard.flush()
            collection.unflushed_since = None
        if collection.unvacuumed_since is None:
            return
        is_quiet = now - collection.queried_at >= UNASKED_BEFORE_VACUUM
        if is_quiet and now - collection.unvacuumed_since >= IDLE_BEFORE_VACUUM:
            collection.shard.optimize()
            collection.unvacuumed_since = None

    def close(self) -> None:
        """Flushes and closes all collections and unlocks the folder; unflushed data is in the write-ahead log."""
        for collection in self._open.values():
            try:
                collection.shard.flush()
            except Exception:  # the engine has no specific exception classes
                log.exception("%s could not be flushed", collection.config.collection_name)
            collection.shard.close()
        self._open.clear()
        os.close(self._lock)

    def _load(self) -> Iterator[Collection]:
        for folder in sorted(path for path in self._data_dir.iterdir() if path.is_dir()):
            description = folder / "collection.binpb"
            if not description.exists():
                log.warning("removing %s, the rest of an unfinished creation or deletion", folder)
                shutil.rmtree(folder)
                continue
            config = pb.CreateCollection.FromString(description.read_bytes())
            shard = edge.EdgeShard.load(str(folder / "shard"))
            _read_ahead(folder)
            _release_holes(folder)
            # Queries before the restart are unknown: assume that there were some until now.
            now = time.monotonic()
            yield Collection(config, shard, unvacuumed_since=now, queried_at=now)

    def _folder(self, name: str) -> Path:
        # quote() does not escape ".", so the prefix prevents the names "." and "..".
        folder = f"collection-{quote(name, safe='')}"
        if not name or len(folder) > 255:
            raise InvalidRequestError("a collection's name must have 1 to 200 characters")
        return self._data_dir / folder


def _describe(folder: Path, config: pb.CreateCollection) -> None:
    """Write a collection's description atomically."""
    (folder / "collection.new").write_bytes(config.SerializeToString())
    (folder / "collection.new").rename(folder / "collection.binpb")


def _read_ahead(folder: Path) -> None:
    """Asks the kernel to read full vectors into its cache, up to half of the free memory, and returns at once.

    The engine reads them one page at a time, for the best candidates of a query: without this, the first queries after
    a start wait for hundreds of page faults each, and take three times as long.
    """
    if not hasattr(os, "posix_fadvise"):  # macOS
        return
    left = psutil.virtual_memory().available // 2
    for file in sorted(folder.glob("shard/segments/*/vector_storage-*/**/*")):
        if not file.is_file() or (size := file.stat().st_size) > left:
            continue
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            for offset in range(0, size, _READ_AHEAD):
                os.posix_fadvise(descriptor, offset, _READ_AHEAD, os.POSIX_FADV_WILLNEED)
        finally:
            os.close(descriptor)
        left -= size


def _release_holes(folder: Path) -> None:
    """Gives the pages of payload indexes back, which the engine has read once to build the indexes in its own memory.

    Each file is a mapping of 4 MiB, of which a small collection fills some kilobytes; the rest are holes, which take
    memory once they are read. The kernel reads a page again if the engine touches it.
    """
    maps = Path("/proc/self/maps")
    if not maps.exists():  # macOS
        return
    libc, index = ctypes.CDLL(None), f"{folder.resolve()}/shard/segments/"
    for line in maps.read_text().splitlines():
        place, mode, _, _, _, *path = line.split(maxsplit=5)
        # Of a shared mapping, this forgets nothing: what is changed stays in the file's pages.
        if path and path[0].startswith(index) and "/payload_index/" in path[0] and mode.endswith("s"):
            start, end = (int(address, 16) for address in place.split("-"))
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED)
    for file in folder.glob("shard/segments/*/payload_index/*/page_*.dat"):
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
