"""A store as a source: its listing is compared with the stored items, as stores have no change log."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import ClassVar, Final
from urllib.parse import quote

import opendal
from opendal import exceptions
from opendal.file import AsyncFile
from opendal.types import Entry, Metadata
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.storage.client import FAILURES, check_endpoint, explained, list_files, open_store
from echomind_lib.connectors.types.patterns import selects
from echomind_lib.connectors.types.storage import StorageSettings

_PIECE: Final = 100_000
_MISREAD: Final = "Its path begins or ends with a space or has `//`, and such files cannot be read: rename it."
"""For such paths OpenDAL reads another file, at the path without them."""


class StorageSource(protocol.SourceConnector[StorageSettings]):
    """Reads the files of a store. An item's id is its path in the store."""

    definition_name: ClassVar[str] = "storage"

    @override
    async def check(self) -> Sequence[protocol.Check]:
        name = f"List {self._name}"
        try:
            store = await self._open()
            with explained(self._name):
                async for entry in list_files(store, self._prefix, None):
                    if (item := self._item(entry)) is not None:
                        return [protocol.Check(name=name, status="passed"), await self._check_reading(store, item)]
        except protocol.SourceError as error:
            return [protocol.Check(name=name, status="failed", message=error.message)]
        message = "There is no file that the folder and the patterns select."
        return [protocol.Check(name=name, status="warning", message=message)]

    async def _check_reading(self, store: opendal.AsyncOperator, item: protocol.Item) -> protocol.Check:
        try:
            file = await store.open(item.source_id, "rb")
            await file.read(1)
            await file.close()
        except FAILURES:
            message = f"{item.source_id} cannot be read: grant the right to read objects, not only to list them."
            return protocol.Check(name="Read a file", status="failed", message=message)
        return protocol.Check(name="Read a file", status="passed")

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        store = await self._open()
        # A store that cannot list from a key lists from the beginning again, which only costs time.
        after = (cursor or {}).get("after") if store.capability().list_with_start_after else None
        items: list[protocol.Item] = []
        failures: list[protocol.Failure] = []
        with explained(self._name):
            async for entry in list_files(store, self._prefix, after):
                if len(items) + len(failures) == protocol.PAGE_ITEMS:
                    yield _page(items, failures, {"after": items[-1].source_id} if items else {})
                    items, failures = [], []
                if (item := self._item(entry)) is None:
                    continue
                if len(item.source_id.encode()) > protocol.SOURCE_ID_BYTES:
                    message = (
                        f"Its path is longer than {protocol.SOURCE_ID_BYTES:,} bytes: shorten the names of its folders."
                    )
                    failures.append(protocol.Failure(source_id="", name=item.name[:255], message=message))
                else:
                    items.append(item)
        yield _page(items, failures, {})

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        store = await self._open()
        try:
            file = await store.open(item.source_id, "rb")
        except FAILURES as error:
            raise _unreadable(error) from error
        try:
            yield protocol.Content(pieces=_read(file))
        finally:
            await file.close()

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        store = await self._open()
        if not source_id.startswith(self._prefix) or not self._selects(source_id):
            return None
        try:
            with explained(self._name):
                metadata = await store.stat(source_id)
        except protocol.SourceError as error:
            if isinstance(error.__cause__, exceptions.NotFound):
                return None
            raise
        return self._made(source_id, metadata)

    async def _open(self) -> opendal.AsyncOperator:
        await check_endpoint(self.settings.endpoint, self.context.allowed_hosts)
        return open_store(self.settings, self.context.credentials)

    @property
    def _name(self) -> str:
        return self.settings.bucket or self.settings.endpoint

    @property
    def _prefix(self) -> str:
        folder = self.settings.folder.strip("/")
        return f"{folder}/" if folder else ""

    def _selects(self, path: str) -> bool:
        return selects(self.settings.include, self.settings.exclude, path.removeprefix(self._prefix))

    def _item(self, entry: Entry) -> protocol.Item | None:
        """Returns the item of a file; None for an excluded one."""
        return self._made(entry.path, entry.metadata) if self._selects(entry.path) else None

    def _made(self, path: str, metadata: Metadata) -> protocol.Item:
        size, modified = metadata.content_length, metadata.last_modified
        # An ETag only identifies a version; without one, size and time do.
        weak = f"{size}-{modified.timestamp() if modified else ''}"
        link = f"{self.settings.endpoint.rstrip('/')}/{quote(path)}" if self.settings.service == "webdav" else ""
        return protocol.Item(
            source_id=path,
            name=PurePosixPath(path).name,
            version=metadata.etag or weak,
            url=link,
            content_type=metadata.content_type or "",
            size=size,
            modified_at=modified,
            error="" if path == path.strip() and "//" not in path else _MISREAD,
        )


def _page(
    items: Sequence[protocol.Item], failures: Sequence[protocol.Failure], cursor: protocol.Cursor
) -> protocol.Page:
    return protocol.Page(cursor=cursor, items=items, failures=failures, is_listing=True)


def _unreadable(error: Exception) -> protocol.SourceError:
    if isinstance(error, exceptions.RateLimited) or str(error).startswith("RateLimited"):
        return protocol.SourceUnavailableError("The store limits the rate of requests.")
    # An OSError is classified by its text alone.
    if isinstance(error, exceptions.NotFound) or str(error).startswith("NotFound"):
        return protocol.ItemError("It was removed since it was listed.")
    if isinstance(error, exceptions.PermissionDenied) or str(error).startswith("PermissionDenied"):
        return protocol.ItemError("The credentials may not read it: grant the right to read objects.")
    return protocol.ItemError("The store could not read it.")


async def _read(file: AsyncFile) -> AsyncIterator[bytes]:
    try:
        while piece := await file.read(_PIECE):
            yield bytes(piece)
    except FAILURES as error:
        raise _unreadable(error) from error
