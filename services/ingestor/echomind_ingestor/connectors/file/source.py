"""A folder of the server as a source: its listing is compared with the stored items."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import PurePosixPath
from typing import ClassVar, Final

from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.file.client import Found, find_root, open_file, walk
from echomind_lib.connectors.types.file import FileSettings
from echomind_lib.connectors.types.patterns import selects

_PIECE: Final = 100_000


class FileSource(protocol.SourceConnector[FileSettings]):
    """Reads the files below a folder. An item's id is its path below the folder."""

    definition_name: ClassVar[str] = "file"

    @override
    async def check(self) -> Sequence[protocol.Check]:
        try:
            root = await asyncio.to_thread(self._root)
        except protocol.SourceError as error:
            return [protocol.Check(name="Find the folder", status="failed", message=error.message)]
        first = await asyncio.to_thread(lambda: list(islice(walk(root, "", self._is_selected), 100)))
        checks = [protocol.Check(name="Find the folder", status="passed")]
        unread = next((found for found in first if found.status is None), None)
        if unread is not None:
            checks.append(
                protocol.Check(name="List files", status="failed", message=f"{unread.path or root}: {unread.reason}")
            )
        elif not first:
            message = "There is no file that the patterns select. Hidden and unfinished files are never read."
            checks.append(protocol.Check(name="List files", status="warning", message=message))
        else:
            checks.append(protocol.Check(name="List files", status="passed"))
            checks.append(await self._check_reading(root, first[0]))
        return checks

    async def _check_reading(self, root: str, found: Found) -> protocol.Check:
        try:
            os.close(await asyncio.to_thread(open_file, root, found.path))
        except OSError as error:
            message = f"{found.path}: {error.strerror}. The ingestor's user needs the right to read the files."
            return protocol.Check(name="Read a file", status="failed", message=message)
        return protocol.Check(name="Read a file", status="passed")

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        after = str((cursor or {}).get("after", ""))
        root = await asyncio.to_thread(self._root)
        files: Iterator[Found] = walk(root, after, self._is_selected)
        page = await asyncio.to_thread(lambda: list(islice(files, protocol.PAGE_ITEMS)))
        while True:
            following = await asyncio.to_thread(lambda: list(islice(files, protocol.PAGE_ITEMS)))
            yield self._page(page, {"after": page[-1].path} if following else {})
            if not following:
                return
            page = following

    def _page(self, page: Sequence[Found], cursor: protocol.Cursor) -> protocol.Page:
        items, failures = [], []
        for found in page:
            name = PurePosixPath(found.path).name or "The folder itself"
            if found.status is None:
                failures.append(protocol.Failure(source_id=found.path, name=name, message=found.reason))
            elif len(found.path.encode()) > protocol.SOURCE_ID_BYTES:
                message = (
                    f"Its path is longer than {protocol.SOURCE_ID_BYTES:,} bytes: shorten the names of its folders."
                )
                failures.append(protocol.Failure(source_id="", name=name, message=message))
            else:
                items.append(_item(found))
        # The files of a folder that cannot be listed are unknown, so the listing may not remove any document.
        is_complete = all(found.status is not None for found in page)
        return protocol.Page(cursor=cursor, items=items, failures=failures, is_listing=True, is_complete=is_complete)

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        root = await asyncio.to_thread(self._root)
        try:
            opened = await asyncio.to_thread(open_file, root, item.source_id)
        except OSError as error:
            raise protocol.ItemError(f"It could not be opened: {error.strerror or 'it is no file'}.") from error
        try:
            yield protocol.Content(pieces=_read(opened))
        finally:
            os.close(opened)

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        root = await asyncio.to_thread(self._root)
        if not self._is_selected(source_id):
            return None
        try:
            opened = await asyncio.to_thread(open_file, root, source_id)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise protocol.ItemError(f"It could not be opened: {error.strerror}.") from error
        try:
            return _item(Found(source_id, os.fstat(opened)))
        finally:
            os.close(opened)

    def _root(self) -> str:
        return find_root(self.settings.folder, self.context.folders)

    def _is_selected(self, path: str) -> bool:
        return selects(self.settings.include, self.settings.exclude, path)


def _item(found: Found) -> protocol.Item:
    status = found.status
    assert status is not None
    return protocol.Item(
        source_id=found.path,
        name=PurePosixPath(found.path).name,
        version=found.version,
        size=status.st_size,
        modified_at=datetime.fromtimestamp(status.st_mtime, UTC),
    )


async def _read(opened: int) -> AsyncIterator[bytes]:
    """Reads a file, and checks that it was not written meanwhile.

    Raises:
        ItemError: It was written meanwhile, or the disk failed.
    """
    try:
        before = os.fstat(opened)
        while piece := await asyncio.to_thread(os.read, opened, _PIECE):
            yield piece
        after = os.fstat(opened)
    except OSError as error:
        raise protocol.ItemError(f"It could not be read: {error.strerror}.") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise protocol.ItemError("It is being written. The next sync reads it.")
