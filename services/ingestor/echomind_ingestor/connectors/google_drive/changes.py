"""Reads the changes since a position in the change logs.

A change contains the current state of a file. As change logs do not contain the contents of a changed folder, folders
are walked if necessary: new ones, and those whose readers have changed, if files inherit the readers of their folders.
The folders left to walk are in the cursor.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.listing import MAX_PARTS, WALK, Listing, Part, missing_failure, walk_of
from echomind_ingestor.connectors.google_drive.pages import PageBuilder
from echomind_ingestor.connectors.google_drive.resources import ChangePage, File
from echomind_ingestor.connectors.google_drive.scopes import MY_DRIVE, Scopes
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings

_REFUSED = frozenset({403, 404})


class Changes:
    """Reads changes. Use one per sync."""

    def __init__(
        self,
        context: protocol.SourceContext[GoogleDriveSettings],
        drive: DriveClient,
        builder: PageBuilder,
        listing: Listing,
        scopes: Scopes,
    ) -> None:
        self._context = context
        self._drive = drive
        self._builder = builder
        self._listing = listing
        self._scopes = scopes

    async def pages(self, cursor: protocol.Cursor) -> AsyncIterator[protocol.Page]:
        """Yields pages of changes; the next sync starts at the cursor of the last one.

        Raises:
            CursorExpiredError: A position in a log is no longer known.
            SourceError: Nothing can be read.
        """
        logs: dict[str, str] = dict(cursor["logs"])
        if walk := cursor.get(WALK):
            async for page in self._listing.pages({"logs": logs, WALK: walk}, WALK):
                yield page
            if walk["is_last"]:
                return
        async for page in self._drives(logs):
            yield page
        async for page in self._roots(logs):
            yield page
        for drive_id in list(logs):
            async for page in self._log(drive_id, logs):
                yield page
        # The targets of shortcuts may be in none of the change logs, so each shortcut is checked again.
        shortcuts = [("shortcuts", drive_id) for drive_id in (MY_DRIVE, *self._scopes.drives)]
        files, removed = await self._expired()
        async for page in self._page(logs, shortcuts, files=files, removed=removed, is_last=True):
            yield page

    async def _page(
        self, logs: Mapping[str, str], parts: Sequence[Part] = (), *, is_last: bool = False, **values: Any
    ) -> AsyncIterator[protocol.Page]:
        """Yields a page, then the parts to read after it, which are in its cursor."""
        cursor: protocol.Cursor = {"logs": dict(logs)}
        if parts:
            cursor[WALK] = walk_of(parts, is_last=is_last)
        yield await self._builder.build(values.pop("files", ()), cursor, **values)
        if parts:
            async for page in self._listing.pages(cursor, WALK):
                yield page

    async def _drives(self, logs: dict[str, str]) -> AsyncIterator[protocol.Page]:
        """Yields the contents of new shared drives, and removes drives that the account has left."""
        failures = [missing_failure(drive_id, "shared drive") for drive_id in self._scopes.missing]
        new = [drive_id for drive_id in self._scopes.drives if drive_id not in logs]
        for drive_id in new:
            logs[drive_id] = await self._drive.start_token(drive_id)
        if failures or new:
            async for page in self._page(logs, [("drive", drive_id) for drive_id in new], failures=failures):
                yield page
        known = await self._find_known(drive_id for drive_id in logs if drive_id != MY_DRIVE)
        for drive_id in known:
            if drive_id not in self._scopes.drives and not known[drive_id].folder_id:
                async for page in self._remove_tree(drive_id, {"logs": dict(logs)}):
                    yield page
                del logs[drive_id]
                async for page in self._page(logs, removed=[drive_id]):
                    yield page

    async def _roots(self, logs: Mapping[str, str]) -> AsyncIterator[protocol.Page]:
        """Reads the members of shared drives and the readers of root folders, which no log contains."""
        if not self._context.syncs_permissions:
            return
        parts: list[Part] = [("drive", drive_id) for drive_id in self._scopes.drives]
        parts += [("folder", folder) for folder in self._scopes.folders]
        for part in parts:
            roots = await self._listing.roots(*part)
            known = await self._find_known(folder.source_id for folder in roots)
            if changed := [folder for folder in roots if _has_other_readers(folder, known)]:
                async for page in self._page(logs, [part], roots=changed):
                    yield page

    async def _log(self, drive_id: str, logs: dict[str, str]) -> AsyncIterator[protocol.Page]:
        """Yields the changes of a log, and updates its position."""

        async def read(token: str) -> ChangePage:
            return await self._drive.changes(token, drive_id)

        changes = read_pages(read, lambda page: page.next_page_token, start=logs[drive_id], what="changes")
        try:
            async for answer in changes:
                async for page in self._apply(answer, drive_id, logs):
                    yield page
        except RequestRefusedError as error:
            if error.status not in _REFUSED or drive_id == MY_DRIVE:
                raise
            name = self._scopes.drives.get(drive_id, drive_id)
            failure = protocol.Failure(source_id=drive_id, name=name, message=error.message)
            async for page in self._page(logs, failures=[failure]):
                yield page

    async def _apply(self, answer: ChangePage, drive_id: str, logs: dict[str, str]) -> AsyncIterator[protocol.Page]:
        last = {change.file_id: change for change in answer.changes if change.change_type == "file" and change.file_id}
        live = [change.file for change in last.values() if change.file and not (change.removed or change.file.trashed)]
        known = await self._find_known(last)
        selected = await self._scopes.select(live, self._find_known)
        files = [file for file in live if file.id in selected]
        removed = {source_id for source_id in known if source_id not in selected}
        for source_id in removed:
            if known[source_id].is_folder:
                async for page in self._remove_tree(source_id, {"logs": dict(logs)}, keep=selected):
                    yield page
        folders = await self._builder.folders([file for file in files if file.is_folder])
        in_drives = {file.id for file in files if file.drive_id}
        walked = {
            folder.source_id
            for folder in folders
            if folder.source_id not in known
            or (folder.source_id not in in_drives and _has_other_readers(folder, known))
        }
        # Walking a folder includes its subfolders.
        parts: list[Part] = [
            ("below", folder.source_id)
            for folder in folders
            if folder.source_id in walked and folder.parent_id not in walked
        ]
        logs[drive_id] = answer.next_page_token or answer.new_start_page_token or logs[drive_id]
        whole = self._all_of(drive_id) if len(parts) > MAX_PARTS else parts
        async for page in self._page(logs, whole, files=files, removed=removed):
            yield page

    def _all_of(self, drive_id: str) -> list[Part]:
        """Returns all parts that a log covers."""
        if drive_id in self._scopes.drives:
            return [("drive", drive_id)]
        parts: list[Part] = [("my", "")] if self._scopes.has_my_drive and drive_id == MY_DRIVE else []
        return [*parts, *(("folder", folder) for folder in self._scopes.folders)]

    async def _remove_tree(
        self, folder_id: str, cursor: protocol.Cursor, *, keep: Iterable[str] = ()
    ) -> AsyncIterator[protocol.Page]:
        """Yields the removal of everything stored below a folder."""
        kept = frozenset(keep)
        waiting = [folder_id]
        while waiting:
            async for children in self._context.find_children(waiting.pop()):
                for start in range(0, len(children), protocol.PAGE_ITEMS):
                    ids = [child for child in children[start : start + protocol.PAGE_ITEMS] if child not in kept]
                    known = await self._context.find_known(ids)
                    waiting += [child for child in ids if child in known and known[child].is_folder]
                    yield await self._builder.build([], cursor, removed=ids)

    async def _expired(self) -> tuple[list[File], list[str]]:
        """Returns items with an expired grant, and ids of those that no longer exist."""
        now = datetime.now(UTC)
        expiring = self._builder.permissions.expiring
        files: list[File] = []
        removed: list[str] = []
        ended = [source_id for source_id, end in expiring.items() if datetime.fromisoformat(end) <= now]
        known = await self._find_known(ended)
        for source_id in ended:
            del expiring[source_id]
            if source_id not in known:
                continue
            try:
                file = await self._drive.find_file(source_id)
            except RequestRefusedError as error:
                if error.status != 403:
                    raise
                file = None
            if file is None or file.trashed:
                removed.append(source_id)
            else:
                files.append(file)
        return files, removed

    async def _find_known(self, ids: Iterable[str]) -> Mapping[str, protocol.Known]:
        file_ids = list(ids)
        found: dict[str, protocol.Known] = {}
        for start in range(0, len(file_ids), protocol.PAGE_ITEMS):
            found |= await self._context.find_known(file_ids[start : start + protocol.PAGE_ITEMS])
        return found


def _has_other_readers(folder: protocol.Folder, known: Mapping[str, protocol.Known]) -> bool:
    stored = known.get(folder.source_id)
    return folder.readers is not None and (stored is None or stored.readers != folder.readers)
