"""Google Drive as a source."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import ClassVar

from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.downloads import PIECE_BYTES
from echomind_ingestor.connectors.google_drive.changes import Changes
from echomind_ingestor.connectors.google_drive.checks import run_checks
from echomind_ingestor.connectors.google_drive.client import GoogleAccess
from echomind_ingestor.connectors.google_drive.exports import ADVICE, exported_name
from echomind_ingestor.connectors.google_drive.items import EXPORTED
from echomind_ingestor.connectors.google_drive.items import SHORTCUT as SHORTCUT_VERSION
from echomind_ingestor.connectors.google_drive.listing import LISTING, Listing
from echomind_ingestor.connectors.google_drive.pages import PageBuilder
from echomind_ingestor.connectors.google_drive.permissions import PermissionReader, read_groups
from echomind_ingestor.connectors.google_drive.scopes import Scopes
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings

_ITEM_STATUSES = frozenset({400, 403, 404, 410, 413})


class GoogleDriveSource(protocol.SourceConnector[GoogleDriveSettings]):
    """Reads files with the rights of one account. An item's id is the file's id."""

    definition_name: ClassVar[str] = "google_drive"

    def __init__(self, context: protocol.SourceContext[GoogleDriveSettings]) -> None:
        super().__init__(context)
        self._access = GoogleAccess(context)
        self._drive = self._access.drive

    @override
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._access.session.close()

    @override
    async def check(self) -> Sequence[protocol.Check]:
        return await run_checks(self._access, self.context)

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        scopes = Scopes(self.settings)
        await scopes.find_drives(self._drive)
        builder = self._builder(scopes, dict(cursor.get("expiring", {})) if cursor else {})
        listing = Listing(self.context, self._drive, builder, scopes)
        if cursor is None or LISTING in cursor:
            async for page in listing.pages(cursor or await listing.begin(), LISTING):
                yield page
            return
        async for page in Changes(self.context, self._drive, builder, listing, scopes).pages(cursor):
            yield page

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        file_id, key, version = item.source_id, "", item.version
        try:
            if version.startswith(SHORTCUT_VERSION):
                _, file_id, version = version.split(":", 2)
                shortcut = await self._drive.find_file(item.source_id)
                if shortcut is not None and shortcut.shortcut_details is not None:
                    key = shortcut.shortcut_details.target_resource_key
            if version.startswith(EXPORTED):
                content = await self._drive.export(file_id, item.content_type, key)
                name = exported_name(item.name, item.content_type)
                yield protocol.Content(pieces=_pieces(content), content_type=item.content_type, name=name)
                return
            async with self._drive.download(file_id, key) as download:
                yield protocol.Content(
                    pieces=download.pieces(), content_type=item.content_type or download.content_type
                )
        except RequestRefusedError as error:
            raise _item_error(error) from None

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        scopes = Scopes(self.settings)
        await scopes.find_drives(self._drive)
        try:
            file = await self._drive.find_file(source_id)
        except RequestRefusedError as error:
            raise _item_error(error) from None
        if file is None or file.trashed or not await scopes.select([file], self.context.find_known):
            return None
        page = await self._builder(scopes, {}).build([file], {})
        return page.items[0] if page.items else None

    @override
    async def groups(self, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
        async for page in read_groups(self._access.directory, named):
            yield page

    def _builder(self, scopes: Scopes, expiring: dict[str, str]) -> PageBuilder:
        context = self.context
        permissions = PermissionReader(
            self._drive, self._access.directory, is_on=context.syncs_permissions, expiring=expiring
        )
        return PageBuilder(self.settings, self._drive, permissions, scopes, max_bytes=context.max_bytes)


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE_BYTES):
        yield content[start : start + PIECE_BYTES]


def _item_error(error: RequestRefusedError) -> Exception:
    """Converts a refusal to an error of one item, or returns it unchanged if it concerns all."""
    if error.status not in _ITEM_STATUSES:
        return error
    advice = ADVICE.get("exportSizeLimitExceeded" if error.status == 413 else error.reason)
    return protocol.ItemError(advice or error.message, retryable=advice is None)
