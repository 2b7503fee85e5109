"""What has changed since a place in the change logs.

A change is the present state of a file; a log says nothing about what lies in a folder that changed, so that is walked
where it matters: below a folder that is new here, and below one that others may read than before, where files carry
the readers of their folders. These pages come before the one that moves the cursor past the change.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.listing import Listing
from echomind_ingestor.connectors.google_drive.pages import PageBuilder
from echomind_ingestor.connectors.google_drive.resources import SHORTCUT, Change, ChangePage, File
from echomind_ingestor.connectors.google_drive.scopes import MY_DRIVE, Scopes
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.protocol import (
    PAGE_ITEMS,
    Cursor,
    Failure,
    Folder,
    Known,
    Page,
    SourceContext,
)
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings

_LIVE_SHORTCUTS: Final = f"mimeType = '{SHORTCUT}' and trashed = false"
_REFUSED = frozenset({403, 404})


class Changes:
    """Reads changes. One for a sync."""

    def __init__(
        self,
        context: SourceContext[GoogleDriveSettings],
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

    async def pages(self, cursor: Cursor) -> AsyncIterator[Page]:
        """Yields pages of changes; the cursor of the last one is where the next sync begins.

        Raises:
            CursorExpiredError: A place in a log is not known any more.
            SourceError: Nothing can be read.
        """
        logs: dict[str, str] = dict(cursor["logs"])
        async for page in self._drives(logs):
            yield page
        async for page in self._roots(logs):
            yield page
        for drive_id in list(logs):
            async for page in self._log(drive_id, logs):
                yield page
        async for page in self._shortcuts(logs):
            yield page
        yield await self._expired(logs)

    async def _drives(self, logs: dict[str, str]) -> AsyncIterator[Page]:
        """Yields what lies in shared drives that are new, and removes those that the account has left."""
        if self._scopes.missing:
            failures = [
                Failure(
                    source_id=drive_id,
                    name=drive_id,
                    message="The connected account is no member of this shared drive. Add it there, or take the drive "
                    "from the settings.",
                )
                for drive_id in self._scopes.missing
            ]
            yield await self._builder.build([], {"logs": logs}, failures=failures)
        for drive_id in self._scopes.drives:
            if drive_id in logs:
                continue
            token = await self._drive.start_token(drive_id)
            async for files in self._listing.part("drive", drive_id):
                yield await self._builder.build(files, {"logs": dict(logs)})
            logs[drive_id] = token
            yield await self._builder.build(
                [], {"logs": dict(logs)}, roots=await self._listing.roots("drive", drive_id)
            )
        known = await self._context.find_known([log for log in logs if log != MY_DRIVE])
        for drive_id in known:
            if drive_id not in self._scopes.drives and not known[drive_id].folder_id:
                async for page in self._remove_tree(drive_id, {"logs": dict(logs)}):
                    yield page
                del logs[drive_id]
                yield await self._builder.build([], {"logs": dict(logs)}, removed=[drive_id])

    async def _roots(self, logs: dict[str, str]) -> AsyncIterator[Page]:
        """Reads who belongs to shared drives, and who may read the topmost folders: no log says it."""
        if not self._context.syncs_permissions:
            return
        parts = [("drive", drive_id) for drive_id in self._scopes.drives]
        parts += [("folder", folder) for folder in self._scopes.folders]
        for kind, source_id in parts:
            roots = await self._listing.roots(kind, source_id)
            known = await self._context.find_known([folder.source_id for folder in roots])
            changed = [folder for folder in roots if _has_other_readers(folder, known)]
            if changed:
                async for files in self._listing.part(kind, source_id):
                    yield await self._builder.build(files, {"logs": dict(logs)})
                yield await self._builder.build([], {"logs": dict(logs)}, roots=changed)

    async def _log(self, drive_id: str, logs: dict[str, str]) -> AsyncIterator[Page]:
        """Yields the changes of a log, and moves its place."""

        async def read(token: str) -> ChangePage:
            return await self._drive.changes(token, drive_id)

        changes = read_pages(read, lambda page: page.next_page_token, start=logs[drive_id], what="changes")
        try:
            async for answer in changes:
                async for page in self._apply(answer.changes, logs, drive_id, answer):
                    yield page
        except RequestRefusedError as error:
            if error.status not in _REFUSED or drive_id == MY_DRIVE:
                raise
            name = self._scopes.drives.get(drive_id, drive_id)
            failure = Failure(source_id=drive_id, name=name, message=error.message)
            yield await self._builder.build([], {"logs": dict(logs)}, failures=[failure], is_complete=False)

    async def _apply(
        self, changes: Sequence[Change], logs: dict[str, str], drive_id: str, answer: ChangePage
    ) -> AsyncIterator[Page]:
        last = {change.file_id: change for change in changes if change.change_type == "file" and change.file_id}
        live = [change.file for change in last.values() if change.file and not (change.removed or change.file.trashed)]
        known = await self._find_known(last)
        selected = await self._scopes.select(live, self._find_known)
        files = [file for file in live if file.id in selected]
        removed = {source_id for source_id in known if source_id not in selected}
        before: Cursor = {"logs": dict(logs)}
        for source_id in list(removed):
            if known[source_id].is_folder:
                async for page in self._remove_tree(source_id, before, keep=selected):
                    yield page
        folders = await self._builder.folders([file for file in files if file.is_folder])
        for folder in folders:
            if await self._is_to_walk(folder, known, files):
                async for below in self._listing.part("folder", folder.source_id):
                    yield await self._builder.build(below, before)
        logs[drive_id] = answer.next_page_token or answer.new_start_page_token or logs[drive_id]
        yield await self._builder.build(files, {"logs": dict(logs)}, removed=removed)

    async def _is_to_walk(self, folder: Folder, known: Mapping[str, Known], files: Sequence[File]) -> bool:
        """Whether what lies below a folder is to be read, as it is new here or carries the folder's readers."""
        if folder.source_id not in known:
            return True
        is_shared = any(file.id == folder.source_id and file.drive_id for file in files)
        return not is_shared and _has_other_readers(folder, known)

    async def _remove_tree(self, folder_id: str, cursor: Cursor, *, keep: Iterable[str] = ()) -> AsyncIterator[Page]:
        """Yields the removal of what is stored below a folder."""
        kept = frozenset(keep)
        waiting = [folder_id]
        while waiting:
            async for children in self._context.find_children(waiting.pop()):
                for start in range(0, len(children), PAGE_ITEMS):
                    ids = [child for child in children[start : start + PAGE_ITEMS] if child not in kept]
                    known = await self._context.find_known(ids)
                    waiting += [child for child in ids if child in known and known[child].is_folder]
                    yield await self._builder.build([], cursor, removed=ids)

    async def _shortcuts(self, logs: dict[str, str]) -> AsyncIterator[Page]:
        """Looks again at what shortcuts lead to, as the targets may be in no log that is read."""
        for drive_id in [*([MY_DRIVE] if MY_DRIVE in logs else []), *self._scopes.drives]:

            async def read(token: str, drive_id: str = drive_id) -> tuple[Sequence[File], str]:
                page = await self._drive.list_files(_LIVE_SHORTCUTS, drive_id=drive_id, page_token=token)
                return page.files, page.next_page_token

            async for files, _ in read_pages(read, lambda page: page[1], what="shortcuts"):
                known = await self._find_known(file.id for file in files)
                if found := [file for file in files if file.id in known]:
                    yield await self._builder.build(found, {"logs": dict(logs)})

    async def _expired(self, logs: dict[str, str]) -> Page:
        """Returns the last page: items with a grant that has ended since, with their readers of today."""
        now = datetime.now(UTC)
        expiring = self._builder.permissions.expiring
        files, removed = [], []
        for source_id, end in list(expiring.items()):
            if datetime.fromisoformat(end) > now:
                continue
            del expiring[source_id]
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
        known = await self._find_known([*removed, *(file.id for file in files)])
        return await self._builder.build(
            [file for file in files if file.id in known],
            {"logs": dict(logs)},
            removed=[source_id for source_id in removed if source_id in known],
        )

    async def _find_known(self, ids: Iterable[str]) -> Mapping[str, Known]:
        wanted = list(ids)
        found: dict[str, Known] = {}
        for start in range(0, len(wanted), PAGE_ITEMS):
            found |= await self._context.find_known(wanted[start : start + PAGE_ITEMS])
        return found


def _has_other_readers(folder: Folder, known: Mapping[str, Known]) -> bool:
    stored = known.get(folder.source_id)
    return folder.readers is not None and (stored is None or stored.readers != folder.readers)
