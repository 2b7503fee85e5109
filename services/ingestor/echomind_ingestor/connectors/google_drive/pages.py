"""Builds pages from files of Google Drive, with their readers, and resolves shortcuts."""

import asyncio
from collections.abc import Collection, Sequence

from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.items import to_folder, to_item, to_shortcut
from echomind_ingestor.connectors.google_drive.permissions import PermissionReader
from echomind_ingestor.connectors.google_drive.resources import FOLDER, SHORTCUT, File
from echomind_ingestor.connectors.google_drive.scopes import Scopes
from echomind_ingestor.connectors.protocol import Cursor, Failure, Folder, Item, Page
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings
from echomind_lib.connectors.types.patterns import selects


class PageBuilder:
    """Builds pages. Use one per sync."""

    def __init__(
        self,
        settings: GoogleDriveSettings,
        drive: DriveClient,
        permissions: PermissionReader,
        scopes: Scopes,
        *,
        max_bytes: int,
    ) -> None:
        self._settings = settings
        self._drive = drive
        self.permissions = permissions
        self._scopes = scopes
        self._max_bytes = max_bytes

    async def build(
        self,
        files: Sequence[File],
        cursor: Cursor,
        *,
        roots: Sequence[Folder] = (),
        removed: Collection[str] = (),
        failures: Sequence[Failure] = (),
        is_listing: bool = False,
        is_complete: bool = True,
    ) -> Page:
        """Returns a page of files and folders.

        Args:
            files: The files, none of them in the trash.
            cursor: The cursor to continue from; if it lists expiring grants, those of these files are added.
            roots: Additional folders.
            removed: Ids of removed items.
            failures: Items that could not be read.
            is_listing: Whether it belongs to a full listing.
            is_complete: Whether nothing was skipped.

        Raises:
            SourceError: Nothing can be read.
        """
        unreadable = self.permissions.unreadable
        folders = await self.folders([file for file in files if file.is_folder])
        items = await self._items(files)
        found = list(failures)
        if count := self.permissions.unreadable - unreadable:
            found.append(
                Failure(
                    source_id="",
                    name="Permissions",
                    message=f"Google does not show who may read {count} of the files and folders, so nobody may here. "
                    "The connected account needs the right to share them, as an editor or manager has it.",
                )
            )
        if problem := self.permissions.take_problem():
            found.append(Failure(source_id="", name="Groups", message=problem))
        return Page(
            cursor={**cursor, "expiring": dict(self.permissions.expiring)},
            folders=[*roots, *folders],
            items=items,
            removed=list(removed),
            people=self.permissions.take_people(),
            failures=found,
            is_listing=is_listing,
            is_complete=is_complete,
        )

    async def folders(self, files: Sequence[File]) -> list[Folder]:
        """Returns folders with their readers.

        Raises:
            SourceError: Nothing can be read.
        """
        roots = [file for file in files if file.id in self._scopes.folders]
        others = [file for file in files if file.id not in self._scopes.folders]
        read = self.permissions.read
        return [
            *(
                to_folder(file, who, is_root=True)
                for file, who in zip(roots, await read(roots, roots=True), strict=True)
            ),
            *(to_folder(file, who) for file, who in zip(others, await read(others), strict=True)),
        ]

    async def _items(self, files: Sequence[File]) -> list[Item]:
        settings = self._settings
        selected = [
            file
            for file in files
            if not file.is_folder and selects(settings.include, settings.exclude, file.name.replace("/", "_"))
        ]
        own = [file for file in selected if file.mime_type != SHORTCUT]
        shortcuts = [file for file in selected if file.mime_type == SHORTCUT]
        readers = await self.permissions.read(own)
        items = [to_item(file, who, self._max_bytes) for file, who in zip(own, readers, strict=True)]
        items += [item for item in await asyncio.gather(*map(self.follow, shortcuts)) if item is not None]
        return items

    async def follow(self, shortcut: File) -> Item | None:
        """Returns the target of a shortcut; None if it is synced itself, or is a folder.

        Folders that are targets of shortcuts are not read, which avoids cycles.

        Raises:
            SourceError: Nothing can be read.
        """
        details = shortcut.shortcut_details
        if details is None or details.target_mime_type in (FOLDER, SHORTCUT):
            return None
        try:
            target = await self._drive.find_file(details.target_id, details.target_resource_key)
        except RequestRefusedError as error:
            if error.status != 403:
                raise
            target = None
        if target is not None and target.trashed:
            target = None
        if target is not None and self._scopes.has(target):
            return None
        (readers,) = await self.permissions.read([target or shortcut], roots=True)
        return to_shortcut(shortcut, target, readers, self._max_bytes)
