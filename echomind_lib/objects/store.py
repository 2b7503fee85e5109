"""The object store: any S3 server, through the minio client in threads.

OpenDAL, by which files of other people's stores are read, takes 35 MB of a process; this client takes 8 MB.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import urllib3
from urllib3.exceptions import HTTPError

from echomind_lib.config import S3Settings
from echomind_lib.errors import DependencyUnavailableError, DiskFullError, NotFoundError
from echomind_lib.process.disk import is_disk_full
from echomind_lib.process.lean_imports import import_without

import_without("minio", "minio.minioadmin")  # imports two cryptography libraries and a C parser

from minio import Minio  # noqa: E402
from minio.deleteobjects import DeleteObject  # noqa: E402
from minio.error import MinioException, S3Error  # noqa: E402

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

T = TypeVar("T")

_THREADS = 8
_CHUNK = 256 * 1024
_PART = 16 * 1024 * 1024
_DELETED_AT_ONCE = 500
"""Objects per delete request; S3 allows 1,000."""
# Error codes of MinIO, Ceph and SeaweedFS for HTTP 507.
_NO_ROOM = frozenset({"XMinioStorageFull", "InsufficientStorage", "QuotaExceeded", "StorageFull"})
_MISSING = frozenset({"NoSuchKey", "NoSuchObject"})


def original_key(document_id: int, signature: str) -> str:
    """Returns the key of the original bytes of a document's version."""
    return f"documents/{document_id}/{signature}/original"


def text_key(document_id: int, chunking_session: UUID | str) -> str:
    """Returns the key of the extracted text of a processing; offsets of its passages are code points in it."""
    return f"documents/{document_id}/{chunking_session}/text"


def markdown_key(document_id: int, chunking_session: UUID | str) -> str:
    """Returns the key of the text as Markdown, for display.

    Missing for kinds of files without Markdown, and for Markdown files whose text is the same.
    """
    return f"documents/{document_id}/{chunking_session}/markdown"


def extracted_keys(document_id: int, chunking_session: UUID | str) -> tuple[str, ...]:
    """Returns the keys of all extracted files of a processing."""
    return text_key(document_id, chunking_session), markdown_key(document_id, chunking_session)


@dataclass(frozen=True, slots=True)
class Stored:
    """An object."""

    key: str
    modified: datetime
    """When it was last stored."""


class ObjectStore:
    """One bucket.

    All methods raise `DependencyUnavailableError` if the server does not respond or refuses, and those that store
    something `DiskFullError` if it has no space.
    """

    def __init__(self, settings: S3Settings) -> None:
        address = urlsplit(settings.endpoint)
        self._bucket = settings.bucket
        self._connections = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=5, read=60),
            maxsize=_THREADS,
            retries=urllib3.Retry(total=3, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504]),
        )
        self._client = Minio(
            endpoint=address.netloc,
            access_key=settings.access_key,
            secret_key=settings.secret_key.get_secret_value(),
            secure=address.scheme == "https",
            region=settings.region,
            http_client=self._connections,
        )
        self._threads = ThreadPoolExecutor(_THREADS, "s3")

    async def _do(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except S3Error as error:
            if error.code in _MISSING:
                raise NotFoundError("The file is not in the object store.", resource="object", id="") from error
            if error.code in _NO_ROOM:
                raise DiskFullError("The disk of the object store is full.") from error
            raise _unavailable(error.code or "S3Error") from error
        except (MinioException, HTTPError, OSError) as error:
            if is_disk_full(error):
                raise DiskFullError("The disk for files that are being received is full.") from error
            raise _unavailable(type(error).__name__) from error

    async def ensure_bucket(self) -> None:
        """Creates the bucket if it is missing."""

        def ensure() -> None:
            if not self._client.bucket_exists(bucket_name=self._bucket):
                try:
                    self._client.make_bucket(bucket_name=self._bucket)
                except S3Error as error:
                    # Another service created it first.
                    if error.code not in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists"):
                        raise

        await self._do(ensure)

    async def check(self) -> None:
        """Returns if the bucket exists."""
        if not await self._do(partial(self._client.bucket_exists, bucket_name=self._bucket)):
            raise _unavailable("no bucket")

    async def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        """Stores bytes; replaces an existing object."""
        await self._do(
            partial(
                self._client.put_object,
                bucket_name=self._bucket,
                object_name=key,
                data=BytesIO(data),
                length=len(data),
                content_type=content_type,
            )
        )

    async def put_file(self, key: str, path: Path, content_type: str = "application/octet-stream") -> None:
        """Stores a file, in parts if it is large."""

        def upload() -> None:
            with path.open("rb") as file:
                self._client.put_object(
                    bucket_name=self._bucket,
                    object_name=key,
                    data=file,
                    length=path.stat().st_size,
                    content_type=content_type,
                    part_size=_PART,
                )

        await self._do(upload)

    async def get(self, key: str) -> bytes:
        """Reads a whole object.

        Raises:
            NotFoundError: It does not exist.
        """

        def read() -> bytes:
            response = self._client.get_object(bucket_name=self._bucket, object_name=key)
            try:
                data: bytes = response.read()
            finally:
                response.close()
                response.release_conn()
            return data

        return await self._do(read)

    async def open(self, key: str) -> tuple[int, AsyncGenerator[bytes]]:
        """Requests an object.

        Returns:
            Its size in bytes, and its content in pieces of at most 256 KiB, which must be read to the end or closed.

        Raises:
            NotFoundError: It does not exist.
        """
        response: BaseHTTPResponse = await self._do(
            partial(self._client.get_object, bucket_name=self._bucket, object_name=key)
        )
        return int(response.headers["Content-Length"]), self._pieces(response)

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        """Reads an object in pieces of at most 256 KiB.

        Raises:
            NotFoundError: It does not exist; raised before the first piece.
        """
        _, pieces = await self.open(key)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def _pieces(self, response: "BaseHTTPResponse") -> AsyncGenerator[bytes]:
        try:
            while piece := await self._do(partial(response.read, _CHUNK)):
                yield piece
        finally:
            response.close()
            response.release_conn()

    async def delete(self, key: str) -> None:
        """Removes an object; does nothing if it does not exist."""
        await self._do(partial(self._client.remove_object, bucket_name=self._bucket, object_name=key))

    async def stored(self, prefix: str) -> list[Stored]:
        """Returns all objects that begin with `prefix`, in the order of their names."""

        def listing() -> list[Stored]:
            found = self._client.list_objects(bucket_name=self._bucket, prefix=prefix, recursive=True)
            return [Stored(item.object_name, item.last_modified) for item in found if item.object_name]

        return await self._do(listing)

    async def page(self, prefix: str, after: str, limit: int) -> list[Stored]:
        """Returns the next objects that begin with `prefix`, in the order of their names.

        Args:
            prefix: Prefix of their names.
            after: The name after which the page begins.
            limit: Maximum number of results.
        """

        def listing() -> list[Stored]:
            found = self._client.list_objects(
                bucket_name=self._bucket, prefix=prefix, recursive=True, start_after=after
            )
            return [Stored(item.object_name, item.last_modified) for item in islice(found, limit) if item.object_name]

        return await self._do(listing)

    async def keys(self, prefix: str) -> list[str]:
        """Returns names of all objects that begin with `prefix`."""
        return [stored.key for stored in await self.stored(prefix)]

    async def delete_prefix(self, prefix: str, keep: frozenset[str] = frozenset()) -> int:
        """Removes all objects that begin with `prefix`, except those in `keep`. Returns their number."""
        doomed = [key for key in await self.keys(prefix) if key not in keep]
        await self.delete_all(doomed)
        return len(doomed)

    async def delete_all(self, keys: Sequence[str]) -> None:
        """Removes objects, many per request; missing ones are ignored."""

        def remove(names: Sequence[str]) -> list[str]:
            targets = [DeleteObject(name=key) for key in names]
            return [
                error.code
                for error in self._client.remove_objects(bucket_name=self._bucket, delete_object_list=targets)
            ]

        for start in range(0, len(keys), _DELETED_AT_ONCE):
            if failed := await self._do(partial(remove, keys[start : start + _DELETED_AT_ONCE])):
                raise _unavailable(failed[0])

    async def close(self) -> None:
        """Closes threads and connections."""
        self._threads.shutdown(wait=False)
        self._connections.clear()


def _unavailable(cause: str) -> DependencyUnavailableError:
    return DependencyUnavailableError(
        "The object store does not answer: try again.",
        detail=f"{cause}. Check ECHOMIND_S3__ENDPOINT and its keys.",
        dependency="s3",
    )
