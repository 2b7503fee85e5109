"""Parts of Google Drive, page by page: the account's files, shared drives, and folders with what is below.

A full listing consists of all parts of a connector; changes request single ones. The position is in the cursor, so that
it can continue after each page. Folders are walked level by level; if more folders remain than fit into a cursor, an
interrupted walk restarts at its first folder.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.pages import PageBuilder
from echomind_ingestor.connectors.google_drive.resources import SHORTCUT, File, FilePage
from echomind_ingestor.connectors.google_drive.scopes import MY_DRIVE, Scopes
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.protocol import Cursor, Failure, Folder, Page, SourceContext
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings

LISTING: Final = "listing"
"""Key of a cursor: the remaining parts of a full listing."""
WALK: Final = "walk"
"""Key of a cursor: parts requested by changes."""
MAX_PARTS: Final = 300
"""Maximum number of parts in a cursor."""
Part: TypeAlias = tuple[str, str]
"""`my`, `drive`, `folder` (of the settings), `below` (any other folder) or `shortcuts`, and an id."""

_OWN: Final = "'me' in owners and trashed = false"
_LIVE: Final = "trashed = false"
_SHORTCUTS: Final = f"mimeType = '{SHORTCUT}' and trashed = false"
_MAX_PENDING: Final = 300
_MAX_RESTARTS: Final = 3
_FOLDERS_AT_ONCE: Final = 20
_BEGIN: Final[dict[str, Any]] = {"page": "", "current": [], "pending": []}
"""The page token, its folders, and the folders that remain."""
_State: TypeAlias = dict[str, Any]
Context: TypeAlias = SourceContext[GoogleDriveSettings]
_REFUSED = frozenset({403, 404})


class Listing:
    """Lists parts. Use one per sync."""

    def __init__(self, context: Context, drive: DriveClient, builder: PageBuilder, scopes: Scopes) -> None:
        self._context = context
        self._drive = drive
        self._builder = builder
        self._scopes = scopes

    async def begin(self) -> Cursor:
        """Returns the first cursor of a full listing, with the positions in the change logs, so that no change is lost.

        Raises:
            SourceError: They cannot be read.
        """
        scopes = self._scopes
        logs = {drive_id: await self._drive.start_token(drive_id) for drive_id in scopes.drives}
        for folder in scopes.folders:
            found = await self._find_folder(folder)
            if found is not None and found.drive_id and found.drive_id not in logs:
                logs[found.drive_id] = await self._drive.start_token(found.drive_id)
        logs[MY_DRIVE] = await self._drive.start_token()
        parts: list[Part] = [("my", "")] if scopes.has_my_drive else []
        parts += [("drive", drive_id) for drive_id in scopes.drives]
        parts += [("folder", folder) for folder in scopes.folders]
        return {"logs": logs, LISTING: walk_of(parts)}

    async def pages(self, cursor: Cursor, key: str) -> AsyncIterator[Page]:
        """Yields the remaining parts of a cursor.

        Args:
            cursor: The cursor to continue from.
            key: `LISTING` or `WALK`; removed from the cursor after the last page.

        Raises:
            SourceError: Nothing can be read.
        """
        state: dict[str, Any] = cursor[key]
        restarts = 0

        async def page(files: Sequence[File] = (), **values: Any) -> Page:
            following: Cursor = {name: value for name, value in cursor.items() if name != key}
            if state["parts"]:
                following[key] = state
            is_listing = key == LISTING
            return await self._builder.build(
                files, following, is_listing=is_listing, is_complete=not state["incomplete"], **values
            )

        if key == LISTING and self._scopes.missing:
            state = {**state, "incomplete": True}
            yield await page(failures=[missing_failure(drive_id, "shared drive") for drive_id in self._scopes.missing])
        elif not state["parts"]:
            yield await page()
        while state["parts"]:
            kind, source_id = state["parts"][0]
            try:
                async for files, position in self._part(kind, source_id, state):
                    fits = len(position.get("pending", ())) <= _MAX_PENDING
                    state = {**state, **_BEGIN, **(position if fits else {})}
                    state["incomplete"] = state["incomplete"] or files.incomplete_search
                    if position:
                        yield await page(files.files)
                    else:
                        state["parts"] = state["parts"][1:]
                        yield await page(files.files, roots=await self.roots(kind, source_id))
            except RequestRefusedError as error:
                if error.status == 400 and state["page"] and restarts < _MAX_RESTARTS:
                    restarts += 1  # the page token has expired: list its folders from their beginning
                    state = {**state, "page": ""}
                elif error.status in _REFUSED:
                    state = {**state, **_BEGIN, "parts": state["parts"][1:], "incomplete": True}
                    name = self._scopes.drives.get(source_id, "My Drive" if kind == "my" else source_id)
                    failure = Failure(source_id=source_id, name=name, message=error.message)
                    # A folder that was removed meanwhile is reported by the change log.
                    yield await page(failures=[] if kind == "below" else [failure])
                else:
                    raise

    async def roots(self, kind: str, source_id: str) -> list[Folder]:
        """Returns the root folder of a part, if it has no parent.

        Raises:
            SourceError: It cannot be read.
        """
        if kind in ("below", "shortcuts"):
            return []
        if kind == "drive":
            readers = await self._builder.permissions.read_drive(source_id)
            name = self._scopes.drives[source_id]
            return [
                Folder(
                    source_id=source_id,
                    name=name,
                    readers=readers,
                    url=f"https://drive.google.com/drive/folders/{source_id}",
                )
            ]
        found = await self._find_folder("root" if kind == "my" else source_id)
        if found is None:
            return []
        (readers,) = await self._builder.permissions.read([found], roots=True)
        return [Folder(source_id=found.id, name=found.name, readers=readers, url=found.web_view_link)]

    async def _part(self, kind: str, source_id: str, state: dict[str, Any]) -> AsyncIterator[tuple[FilePage, _State]]:
        """Yields pages of files, each with the position to continue at, which is empty after the last one."""
        if kind in ("folder", "below"):
            async for walked in self._walk(source_id, state):
                yield walked
            return
        query = {"my": _OWN, "drive": _LIVE, "shortcuts": _SHORTCUTS}[kind]

        async def read(token: str) -> FilePage:
            return await self._drive.list_files(query, drive_id=source_id, page_token=token)

        async for page in read_pages(read, lambda page: page.next_page_token, start=state["page"], what="files"):
            found = await self._stored(page) if kind == "shortcuts" else page
            yield found, {"page": page.next_page_token} if page.next_page_token else {}

    async def _stored(self, page: FilePage) -> FilePage:
        """Returns the files of a page that are stored already; new ones are reported by the change log."""
        known = await self._context.find_known([file.id for file in page.files])
        return msgspec.structs.replace(page, files=tuple(file for file in page.files if file.id in known))

    async def _walk(self, folder: str, state: dict[str, Any]) -> AsyncIterator[tuple[FilePage, _State]]:
        """Yields the contents below a folder, several folders at once."""
        root = await self._find_folder(folder)
        if root is None:
            raise RequestRefusedError(
                missing_failure(folder, "folder").message,
                status=404,
                reason="notFound",
                detail="There is no such folder.",
            )
        start, current, waiting = state["page"], list(state["current"]) or [folder], list(state["pending"])
        seen = {*current, *waiting}
        while current:
            query = f"({' or '.join(f'{_quoted(each)} in parents' for each in current)}) and {_LIVE}"

            async def read(token: str, query: str = query) -> FilePage:
                return await self._drive.list_files(query, drive_id=root.drive_id, page_token=token)

            async for page in read_pages(read, lambda page: page.next_page_token, start=start, what="files of folders"):
                below = [file.id for file in page.files if file.is_folder and file.id not in seen]
                seen.update(below)
                waiting += below
                if page.next_page_token:
                    yield page, {"page": page.next_page_token, "current": current, "pending": list(waiting)}
                else:
                    start, current, waiting = "", waiting[:_FOLDERS_AT_ONCE], waiting[_FOLDERS_AT_ONCE:]
                    yield page, {"current": current, "pending": list(waiting)} if current else {}

    async def _find_folder(self, folder: str) -> File | None:
        try:
            found = await self._drive.find_file(folder)
        except RequestRefusedError as error:
            if error.status not in _REFUSED:
                raise
            return None
        return None if found is None or found.trashed or not found.is_folder else found


def walk_of(parts: Sequence[Part], *, is_last: bool = False) -> dict[str, Any]:
    """Returns parts in the form of a cursor.

    Args:
        parts: Their kinds and ids.
        is_last: Whether they are the last of a sync.
    """
    return {**_BEGIN, "parts": list(parts), "incomplete": False, "is_last": is_last}


def _quoted(text: str) -> str:
    """Returns a text escaped for a query: https://developers.google.com/drive/api/guides/search-files."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def missing_failure(source_id: str, kind: str) -> Failure:
    """Returns the failure for a configured item that the account cannot see."""
    message = (
        f"The connected account does not see this {kind}. Share it with the account, or take it from the settings."
    )
    return Failure(source_id=source_id, name=source_id, message=message)
